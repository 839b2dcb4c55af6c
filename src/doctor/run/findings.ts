import { assumptions } from 'polygate';

import type { DiagnoseOptions, DiagnosisCheck } from '../diagnosis.ts';
import { plainText } from '../text.ts';
import type { CheckSubject } from './check.ts';
import type { AssumptionId, Finding } from './report.ts';

/** The findings of a diagnosis. Each assumption belongs to one of them. */
export class Findings {
  readonly all: DiagnosisCheck[] = [];
  readonly #onCheck: DiagnoseOptions['onCheck'];
  readonly #reported = new Set<AssumptionId>();
  #callbackError: { readonly error: unknown } | undefined;

  constructor(onCheck: DiagnoseOptions['onCheck']) {
    this.#onCheck = onCheck;
  }

  hasReported(assumption: AssumptionId | undefined): boolean {
    return assumption !== undefined && this.#reported.has(assumption);
  }

  /** The assumptions that a check should have reported and no check has, with the reasons for it. */
  openAssumptions({ assumptions: own = [] }: CheckSubject) {
    return own.flatMap(({ id, aspect, ifOpen }) =>
      typeof ifOpen === 'string' && !this.#reported.has(id) ? { id, aspect, ifOpen } : [],
    );
  }

  /** Adds a finding, and passes it to the caller. */
  add(check: CheckSubject, finding: Finding): void {
    this.throwCallbackError();
    const described = describeFinding(check, finding);
    const { assumption, ...withoutAssumption } = described;
    const added = this.hasReported(assumption) ? withoutAssumption : described;
    if (assumption !== undefined) this.#reported.add(assumption);
    this.all.push(added);
    try {
      this.#onCheck?.(added);
    } catch (error) {
      this.#callbackError = { error };
      throw error;
    }
  }

  /** Adds the finding for a check that was skipped or failed, under the main assumption of the check if it has one. */
  addEnd(check: CheckSubject, finding: Finding): void {
    const subject = this.openAssumptions(check).find(({ aspect }) => aspect === undefined)?.id;
    const aspect = this.all.some(({ id }) => id === check.id) ? 'error' : undefined;
    this.add(check, subject ? { assumption: subject, ...finding } : { aspect, ...finding });
  }

  /** Throws what the caller's callback has thrown: a check may have caught it. */
  throwCallbackError(): void {
    if (this.#callbackError) throw this.#callbackError.error;
  }
}

/** Completes a finding: its id and title are those of its assumption, if that is only one aspect of the check. */
function describeFinding(check: CheckSubject, finding: Finding): DiagnosisCheck {
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
