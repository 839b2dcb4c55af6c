import type { DiagnosisContext, Requirement } from './context.ts';
import type { AssumptionId, Report } from './report.ts';

/** An assumption that a check has a finding about. */
export interface CheckedAssumption {
  readonly id: AssumptionId;
  /** What the finding adds to the id of the check; undefined if the assumption is the subject of the whole check. */
  readonly aspect?: string;
  /** What the finding says if the check ends without one: a text, or `later` if another check follows that has one. */
  readonly ifOpen: string | { readonly later: true };
}

/** What a check is about. */
export interface CheckSubject {
  readonly id: string;
  readonly title: string;
  /** What must have been found before; nothing by default. */
  readonly requires?: Requirement;
  /**
   * Assumptions that this check has findings about. `core/config/assumptions.ts` says what each number stands for.
   */
  readonly assumptions?: readonly CheckedAssumption[];
}

/** One step of a diagnosis. `Output` is what it finds out for later checks; `checks.ts` passes it to them. */
export interface Check<Output = void> extends CheckSubject {
  /** `keep` stores the output, even if the check fails afterwards. */
  run(
    context: DiagnosisContext,
    report: Report,
    keep: (output: Output) => void,
  ): Promise<void> | void;
}
