import type { DiagnosisCheck } from '../diagnosis.ts';

/** An assumption that a check has a finding about. */
export interface CheckedAssumption {
  readonly id: AssumptionId;
  /** What the finding adds to the id of the check; undefined if the assumption is the subject of the whole check. */
  readonly aspect?: string;
  /** What the finding says if the check ends without one: a text, or `later` if another check follows that has one. */
  readonly ifOpen: string | { readonly later: true };
}

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
  readonly assumptions?: readonly CheckedAssumption[];
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
