import type { Receipt } from '../../../wire/types/tasks/task.ts';
import { roundUsd } from '../../limits/budget.ts';

/** What a row has cost in all runs, in USD. */
export interface RowCost {
  /** The sum of its charges. */
  readonly chargedUsd: number;
  /** The sum of the estimates for submissions whose charge is not known, because they may have been charged. */
  readonly estimatedUsd: number;
}

export const noCost: RowCost = { chargedUsd: 0, estimatedUsd: 0 };

/** A cost after a change. */
export function addCost(
  cost: RowCost,
  { chargedUsd = 0, estimatedUsd = 0 }: Partial<RowCost>,
): RowCost {
  return {
    chargedUsd: roundUsd(cost.chargedUsd + chargedUsd),
    estimatedUsd: Math.max(0, roundUsd(cost.estimatedUsd + estimatedUsd)),
  };
}

/** What the row has cost in all runs, as of a line. Lines of version 0.2 have no such fields. */
export interface CostFields {
  /** The sum of its charges in USD; absent if it is 0, unless the charge of a task or completion is known to be 0. */
  readonly usd?: number | undefined;
  /** The sum of the estimates in USD for submissions whose charge is not known; absent if it is 0. */
  readonly estimatedUsd?: number | undefined;
}

/** The fields of a line for a cost. */
export function toCostFields({ chargedUsd, estimatedUsd }: RowCost): CostFields {
  return { usd: chargedUsd || undefined, estimatedUsd: estimatedUsd || undefined };
}

/** The same for a line about a task or completion. A charge that is known to be 0 is not absent. */
export function toSettledFields(cost: RowCost, isChargeKnown: boolean): CostFields {
  const fields = toCostFields(cost);
  return isChargeKnown ? { ...fields, usd: cost.chargedUsd } : fields;
}

/** The cost of a row as of a line. An amount that was edited by hand must not make the row unreadable. */
export function readCost({ usd, estimatedUsd }: CostFields, receipt?: Receipt): RowCost {
  const chargedUsd = amount(usd) ?? amount(receipt?.chargeUsd) ?? 0;
  return { chargedUsd, estimatedUsd: amount(estimatedUsd) ?? 0 };
}

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined;
