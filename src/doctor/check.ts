import type { DiagnosisContext, Requirement } from './context.ts';
import type { AssumptionId, Report } from './report.ts';

/** What a check is about. */
export interface CheckSubject {
  readonly id: string;
  readonly title: string;
  /** What must have been found before; nothing by default. */
  readonly requires?: Requirement;
  /**
   * Assumptions that this check has to report, because no later one does. The text is the reason given if the check ends
   * without a finding about it. `core/config/assumptions.ts` says what each number stands for.
   */
  readonly assumptions?: readonly (readonly [AssumptionId, string?])[];
}

/** One step of a diagnosis. `Output` is what it finds out for later checks; `checks.ts` passes it to them. */
export interface Check<Output = void> extends CheckSubject {
  /** `keep` stores the output, even if the check fails afterwards. The last one counts. */
  run(
    context: DiagnosisContext,
    report: Report,
    keep: (output: Output) => void,
  ): Promise<void> | void;
}
