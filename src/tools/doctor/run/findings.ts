import { assumptions } from 'polygate';

import type { DiagnoseOptions, DiagnosisCheck } from '../diagnosis.ts';
import { plainText } from '../text.ts';
import type { CheckSubject, Finding, Skip, AssumptionId } from './report.ts';

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
