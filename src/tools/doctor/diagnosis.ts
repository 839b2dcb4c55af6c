import type { PolygateOptions } from 'polygate';

/** Whether the service behaves as the client expects. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** A reason to skip a check: the service limits requests, or the check costs more than may be spent. */
export type SkipReason = 'rate-limited' | 'too-expensive';

/** One finding about the service. */
export interface DiagnosisCheck {
  /**
   * Identifier, such as `readiness` or `image-task`. A finding about one aspect of a check adds it: `image-task.path`.
   */
  id: string;
  /** What was checked, in a few words. */
  title: string;
  /**
   * `failed` if calls of the client would fail or lose money, `warning` if something should be changed or known,
   * `skipped` if the check did not run or did not end.
   */
  status: CheckStatus;
  /** What was found, or why the check was skipped. Never contains the API key. */
  detail: string;
  /** Why the check was skipped, if another run can include it: later, or with a higher limit or balance. */
  skipReason?: SkipReason | undefined;
  /** Id of the assumption that the finding confirms or refutes, such as `A2`. */
  assumption?: `A${number}` | undefined;
  /** What to do next. */
  advice?: string | undefined;
  /** Options to add to those of `new Polygate()`. */
  option?: PolygateOptions | undefined;
}

/** The result of {@link diagnose}. */
export interface Diagnosis {
  /** Whether no check failed, and the run was not cut short. */
  ok: boolean;
  /** What responses reported as charged, in USD. */
  spentUsd: number;
  /**
   * What requests may have cost in addition, in USD: those that failed with an unknown outcome, and those whose
   * responses reported no charge or a charge of 0. Omitted if there were none.
   */
  unconfirmedUsd?: number | undefined;
  /** All findings, in the order of the checks. Each assumption is in one of them. */
  checks: DiagnosisCheck[];
}

/** Options of {@link diagnose}. */
export interface DiagnoseOptions {
  /**
   * Maximum amount to spend on one chat, one stream, one image and their replays, in USD. Without it, only free checks
   * run.
   */
  maxSpendUsd?: number | undefined;
  /**
   * Ends the run: `ok` is false, and checks that have not ended are `skipped`. A signal of `AbortSignal.timeout()`
   * makes `reachable` fail if no response has shown that there is a gateway.
   */
  signal?: AbortSignal | undefined;
  /** Called when a check starts. */
  onStart?: ((check: { id: string; title: string }) => void) | undefined;
  /** Called with each finding. */
  onCheck?: ((check: DiagnosisCheck) => void) | undefined;
}

/**
 * The options that a diagnosis recommends, merged into one object:
 * `new Polygate({ ...yours, ...optionsOf(diagnosis) })`. If yours have `paths` or `retryAmbiguous`, merge them.
 */
export function optionsOf({ checks }: Pick<Diagnosis, 'checks'>): PolygateOptions {
  const merged: PolygateOptions = {};
  for (const { option = {} } of checks) {
    const { paths, retryAmbiguous, ...others } = option;
    Object.assign(merged, others);
    if (paths) merged.paths = { ...merged.paths, ...paths };
    if (retryAmbiguous) merged.retryAmbiguous = { ...merged.retryAmbiguous, ...retryAmbiguous };
  }
  return merged;
}
