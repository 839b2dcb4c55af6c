import type { DiagnoseOptions, DiagnosisCheck } from '../diagnosis.ts';
import type { CheckSubject } from './check.ts';
import {
  findingToAdd,
  findingOfEarlyEnd,
  findingsOfOpenAssumptions,
} from './one-per-assumption.ts';
import type { Finding, Skip } from './report.ts';

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
