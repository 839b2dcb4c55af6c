import { assumptions } from 'polygate';

import type { DiagnosisCheck, DiagnoseOptions } from '../diagnosis.ts';
import { plainText } from '../text.ts';

/** What a check can require: that there is a gateway, or that the gateway accepts the API key. */
export type Requirement = 'gateway' | 'key';

/** What a check is about. */
export interface CheckSubject {
  readonly id: string;
  readonly title: string;
  /** What must have been found before; nothing by default. */
  readonly requires?: Requirement;
  /**
   * Assumptions that this check has findings about. `client/config/assumptions.ts` says what each number stands for.
   */
  readonly assumptions?: readonly {
    readonly id: AssumptionId;
    /** What the finding adds to the id of the check; undefined if the assumption is the subject of the whole check. */
    readonly aspect?: string;
    /** What the finding says if the check ends without one: a text, or `later` if another check follows that has one. */
    readonly ifOpen: string | { readonly later: true };
  }[];
}

/** Id of an assumption. */
export type AssumptionId = NonNullable<DiagnosisCheck['assumption']>;

/** A finding, as a check reports it. Its id and title follow from its assumption, or else from `aspect`. */
export interface Finding extends Readonly<Omit<DiagnosisCheck, 'id' | 'title'>> {
  readonly aspect?: string | undefined;
  readonly title?: string | undefined;
  /** Whether the rest of the diagnosis uses `option`. */
  readonly isAdopted?: boolean;
}

/** Why a check, or a part of it, is skipped. */
export type Skip = Pick<Finding, 'detail' | 'skipReason'>;

/** What a finding adds to its status and detail. */
type Extra = Pick<Finding, 'advice' | 'option' | 'isAdopted'>;

/** What findings are about, unless that is the whole check. */
type Subject = Pick<Finding, 'assumption' | 'aspect' | 'title'>;

/** What receives the findings of a check. */
export interface ReportReceiver {
  add(finding: Finding): void;
  endsBecause(finding: Finding): void;
}

/** Passes on the findings of a check as they are made, so that those before an error are kept. */
export class Report {
  readonly #receiver: ReportReceiver;
  readonly #subject: Subject;

  constructor(receiver: ReportReceiver, subject: Subject = {}) {
    this.#receiver = receiver;
    this.#subject = subject;
  }

  /** Reports findings about an assumption. */
  on(assumption: AssumptionId): Report {
    return new Report(this.#receiver, { assumption });
  }

  /** Reports findings about an aspect of the check to which no assumption belongs. */
  onAspect(aspect: string, title: string): Report {
    return new Report(this.#receiver, { aspect, title });
  }

  add(finding: Finding): void {
    this.#receiver.add({ ...this.#subject, ...finding });
  }

  ok(detail: string, extra?: Extra): void {
    this.add({ status: 'ok', detail, ...extra });
  }

  warning(detail: string, extra?: Extra): void {
    this.add({ status: 'warning', detail, ...extra });
  }

  failed(detail: string, extra?: Extra): void {
    this.add({ status: 'failed', detail, ...extra });
  }

  skipped(reason: string | Skip, extra?: Extra): void {
    this.add({ status: 'skipped', ...toSkip(reason), ...extra });
  }

  /**
   * Reports why the check ends here: it is the finding about the check itself and, unless it reports them afterwards,
   * about all of its assumptions without one. The check then reports nothing more about itself.
   */
  endsBecause(reason: string | Skip, extra?: Extra): void {
    this.#receiver.endsBecause({ status: 'skipped', ...toSkip(reason), ...extra });
  }
}

const toSkip = (reason: string | Skip): Skip =>
  typeof reason === 'string' ? { detail: reason } : reason;

/** The findings of a diagnosis, which are passed to the caller as they are made. Each assumption has one of them. */
export class Findings {
  readonly all: DiagnosisCheck[] = [];
  readonly #onCheck: DiagnoseOptions['onCheck'];
  readonly #redact: (text: string) => string;
  #callbackError: { readonly error: unknown } | undefined;

  /** `redact` removes API keys from a text. */
  constructor(onCheck: DiagnoseOptions['onCheck'], redact: (text: string) => string) {
    this.#onCheck = onCheck;
    this.#redact = redact;
  }

  /** Adds a finding that a check has reported, unless an earlier one says the same. */
  add(check: CheckSubject, finding: Finding): void {
    const added = findingToAdd(check, finding, this.all);
    if (added) this.#push(added);
  }

  /** Adds why a check has not started, or has ended early. */
  addEarlyEnd(check: CheckSubject, reason: Finding): void {
    this.#push(findingOfEarlyEnd(check, reason, this.all));
  }

  /** Adds a finding for each assumption that a check has left open; `reason` is why it has ended early, if it has. */
  addOpenAssumptions(check: CheckSubject, reason: Skip | undefined): void {
    for (const finding of findingsOfOpenAssumptions(check, reason, this.all)) this.#push(finding);
  }

  /** Throws what the caller's callback has thrown: a check may have caught it. */
  throwCallbackError(): void {
    if (this.#callbackError) throw this.#callbackError.error;
  }

  #push(described: DiagnosisCheck): void {
    this.throwCallbackError();
    const { detail, advice } = described;
    const finding: DiagnosisCheck = {
      ...described,
      detail: this.#redact(detail),
      ...(advice !== undefined && { advice: this.#redact(advice) }),
    };
    this.all.push(finding);
    try {
      this.#onCheck?.(finding);
    } catch (error) {
      this.#callbackError = { error };
      throw error;
    }
  }
}

/**
 * The findings of all checks so far. Each assumption has exactly one finding in a diagnosis: given the earlier ones, the
 * functions below decide which one, and `Findings` adds what they return.
 */
type Earlier = readonly DiagnosisCheck[];

/**
 * What is added for a finding of a check. The first finding about an assumption counts: a later one is left out, unless
 * it contradicts. Then it is added without the id of the assumption.
 */
export function findingToAdd(
  check: CheckSubject,
  finding: Finding,
  earlier: Earlier,
): DiagnosisCheck | undefined {
  const described = describe(check, finding);
  const { assumption, ...withoutAssumption } = described;
  if (assumption === undefined || isOpen(assumption, earlier)) return described;
  const contradicts = finding.status === 'warning' || finding.status === 'failed';
  return contradicts ? withoutAssumption : undefined;
}

/**
 * What is added for the reason why a check has not started, or has ended early: a finding about its main assumption, if
 * that is open. Otherwise, it is about the check itself, or about an error if the check has a finding about itself
 * already.
 */
export function findingOfEarlyEnd(
  check: CheckSubject,
  reason: Finding,
  earlier: Earlier,
): DiagnosisCheck {
  const main = check.assumptions?.find(({ aspect }) => aspect === undefined);
  if (main && isOpen(main.id, earlier)) return describe(check, { ...reason, assumption: main.id });
  const aspect = earlier.some(({ id }) => id === check.id) ? 'error' : undefined;
  return describe(check, { ...reason, aspect });
}

/**
 * What is added once a check has ended, for each assumption that no check has a finding about: why it is open. `reason`
 * is why the check has ended early, if it has.
 */
export function findingsOfOpenAssumptions(
  check: CheckSubject,
  reason: Skip | undefined,
  earlier: Earlier,
): DiagnosisCheck[] {
  return (check.assumptions ?? [])
    .filter(({ id }) => isOpen(id, earlier))
    .flatMap(({ id, ifOpen }) => {
      // A later check has the finding.
      if (typeof ifOpen !== 'string') return [];
      const { detail, skipReason } = reason ?? { detail: ifOpen };
      return describe(check, { assumption: id, status: 'skipped', detail, skipReason });
    });
}

const isOpen = (id: AssumptionId, earlier: Earlier): boolean =>
  earlier.every(({ assumption }) => assumption !== id);

/** Completes a finding: its id and title are those of its assumption, if that is only one aspect of the check. */
function describe(check: CheckSubject, finding: Finding): DiagnosisCheck {
  const { assumption, status, skipReason, advice, option } = finding;
  const ownAspect = check.assumptions?.find(({ id }) => id === assumption)?.aspect;
  const { aspect = ownAspect } = finding;
  const gap = ownAspect && assumptions.find(({ id }) => id === assumption)?.gap;
  return {
    id: aspect === undefined ? check.id : `${check.id}.${aspect}`,
    title: finding.title ?? gap ?? check.title,
    status,
    detail: plainText(finding.detail),
    ...(skipReason && { skipReason }),
    ...(assumption && { assumption }),
    ...(advice !== undefined && { advice: plainText(advice) }),
    ...(option && { option }),
  };
}
