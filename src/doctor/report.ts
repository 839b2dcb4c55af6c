import type { DiagnosisCheck } from './diagnosis.ts';

/** Id of an assumption. */
export type AssumptionId = NonNullable<DiagnosisCheck['assumption']>;

/** A finding, as a check reports it. Its id and title follow from its assumption, or else from `aspect`. */
export interface Finding extends Omit<DiagnosisCheck, 'id' | 'title'> {
  aspect?: string | undefined;
  title?: string | undefined;
}

/** Why a check, or a part of it, is skipped. */
export type Skip = Pick<Finding, 'detail' | 'skipReason'>;

/** What a finding adds to its status and detail. */
type Extra = Pick<Finding, 'advice' | 'option'>;

/** What findings are about, unless that is the whole check. */
type Subject = Pick<Finding, 'assumption' | 'aspect' | 'title'>;

/** Passes on the findings of a check as they are made, so that those before an error are kept. */
export class Report {
  readonly #pass: (finding: Finding) => void;
  readonly #subject: Subject;

  constructor(pass: (finding: Finding) => void, subject: Subject = {}) {
    this.#pass = pass;
    this.#subject = subject;
  }

  /** Reports findings about an assumption. */
  on(assumption: AssumptionId): Report {
    return new Report(this.#pass, { assumption });
  }

  /** Reports findings about an aspect of the check that is no assumption. */
  onAspect(aspect: string, title: string): Report {
    return new Report(this.#pass, { aspect, title });
  }

  add(finding: Finding): void {
    this.#pass({ ...this.#subject, ...finding });
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
    const skip = typeof reason === 'string' ? { detail: reason } : reason;
    this.add({ status: 'skipped', ...skip, ...extra });
  }
}
