import type { DiagnosisContext } from './context.ts';
import type { AssumptionId, Report } from './report.ts';

/** One step of a diagnosis. */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** What the check requires: that there is a gateway, or that the gateway accepts the API key. */
  readonly needs?: 'gateway' | 'key';
  /**
   * Assumptions that this check has to report, because no later one does. The text is the reason given if the check ends
   * without a finding about it. `core/config/assumptions.ts` says what each number stands for.
   */
  readonly assumptions?: readonly (readonly [AssumptionId, string?])[];
  run(context: DiagnosisContext, report: Report): Promise<void> | void;
}

/**
 * What a finding about an assumption adds to the id of its check. An assumption that is not listed is the subject of
 * the whole check.
 */
export const aspects: Readonly<Record<string, string>> = {
  A1: 'video',
  A2: 'image',
  A3: 'record',
  A4: 'status',
  A5: 'urls',
  A6: 'wrapper',
  A7: 'submit',
  A10: 'request-id',
  A11: 'replay',
  A12: 'replay',
  A14: 'slot',
  A15: 'refund',
  A17: 'styles',
  A18: 'webhooks',
  A19: 'currency',
  A20: 'endpoints',
  A22: 'verification',
};
