import type { Diagnosis, DiagnosisCheck } from 'polygate/doctor';

import { roundUsd } from '../../../internal.ts';
import { isPaid } from './skipped.ts';

/** What is known of a run whose checks did not end. */
interface IncompleteRun {
  /** The checks that have started. */
  readonly started: readonly Pick<DiagnosisCheck, 'id'>[];
  /** What responses reported as charged, in USD. */
  readonly spentUsd: number;
  readonly maxSpendUsd: number | undefined;
}

/**
 * The result of a run whose checks did not end. Once a check that costs money has started, only the limit is known of what
 * lost responses may have cost.
 */
export function incompleteResult({
  started,
  spentUsd,
  maxSpendUsd = 0,
}: IncompleteRun): Omit<Diagnosis, 'checks'> {
  const unconfirmedUsd = started.some(isPaid) ? Math.max(0, roundUsd(maxSpendUsd - spentUsd)) : 0;
  return { ok: false, spentUsd, ...(unconfirmedUsd > 0 && { unconfirmedUsd }) };
}
