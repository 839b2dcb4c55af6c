import { reservationProblem } from '../../../internal.ts';
import { roundUsd, toNano, toUsd } from '../../../paid/amounts.ts';
import { decideLimit, expectedOf, limitPolicies } from '../../../paid/limits.ts';
import type { Expected } from '../../../paid/limits.ts';
import type { PricedUnits } from '../../../paid/prices.ts';
import { isUnpaid } from '../../../paid/verdict.ts';
import type { Verdict } from '../../../paid/verdict.ts';

/**
 * What a row costs. The script `admit` reserves its price, or what `decideReservation` estimates. When a submission ends, a
 * decision makes a `Settlement`, which `settle` in `redis/scripts/spend.ts` records, and `lateCharge` there for a chat whose row
 * was retried or removed.
 *
 * What happens to the amount that is reserved for a row, by the verdict about its submission:
 *
 * - `unknown`: it stays reserved.
 * - `none`: it is free again.
 * - `accepted`: it is spent, because no response can report the charge anymore.
 * - `charged`: the charge is spent instead, once for each task. `isLost`: the submission has failed, so its key
 *   stays in use, and its reservation becomes 0. After a second charge under the key, the next attempt reserves its price again.
 */
export type Settlement = { readonly taskId?: string | undefined } & (
  | { readonly money: 'charged'; readonly usd: number; readonly isLost?: true }
  | { readonly money: 'accepted' | 'unknown' | 'none' }
);

export const undecided = { money: 'unknown' } as const satisfies Settlement;
export const unpaid = { money: 'none' } as const satisfies Settlement;
export const accepted = { money: 'accepted' } as const satisfies Settlement;
export const charged = (usd: number, taskId?: string) =>
  ({
    money: 'charged',
    usd,
    ...(taskId !== undefined && { taskId }),
  }) as const satisfies Settlement;

/** What counts of an accepted submission. */
export function settlementOf(verdict: Verdict, taskId?: string): Settlement {
  if (verdict.money === 'none') return unpaid;
  if (verdict.money === 'charged') return charged(verdict.usd, taskId);
  return taskId === undefined ? accepted : { ...accepted, taskId };
}

/** What the responses to a failed submission have cost. */
export interface FailedCharges {
  /** The sum of its charges in USD, without replays of what counts already. */
  readonly usd: number;
  /** The largest charge of the key in USD. */
  readonly largestUsd: number;
  /** Whether its key was charged, and no attempt since then may have been. */
  readonly isKnown: boolean;
}

export const noCharges: FailedCharges = { usd: 0, largestUsd: 0, isKnown: false };

/**
 * What a submission counts that has failed. What may have been charged keeps its reservation, unless a charge is reported. `isOpen`:
 * whether it or an earlier one may have been charged. `reservesAnew`: see `RowState`.
 */
export function settlementOfFailed(
  verdict: Verdict,
  {
    isChat,
    isOpen,
    reservesAnew,
    chargedUsd,
  }: Readonly<Record<'isChat' | 'isOpen' | 'reservesAnew', boolean> & { chargedUsd: number }>,
): Settlement {
  if (chargedUsd > 0) {
    return isChat ? charged(chargedUsd) : { ...charged(chargedUsd), isLost: true };
  }
  // What earlier requests of a chat may have cost was spent when it was retried.
  const isKept = isChat ? !isUnpaid(verdict) : isOpen && !reservesAnew;
  return isKept ? undecided : unpaid;
}

/** What a queue has spent, and what its rows may cost. */
export interface QueueSpend {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** The largest charge so far, by path. */
  readonly largest: ReadonlyMap<string, number>;
  /** The largest charge per unit in nano-USD, by price class, of those that were above the price of their row. */
  readonly above: ReadonlyMap<string, number>;
  /** How many rows are or may have been charged, and have reserved nothing, by path. */
  readonly unpriced: ReadonlyMap<string, number>;
  /** Number of rows that are being submitted. */
  readonly submitting: number;
}

/** A row that needs a part of the budget. */
interface Purchase {
  /** Requests to one path have similar prices. */
  readonly path: string;
  /** Its price in USD; undefined if it is not known. */
  readonly usd: number | undefined;
  /** What it pays for, if that is known. */
  readonly units?: PricedUnits | undefined;
}

/** What a row reserves without a limit: nothing, so that it counts as unpriced if a limit is set later. */
export const unlimited: Expected = { nanoUsd: 0, basis: 'unknown' };

/** Whether to reserve, to wait for the rows in flight, or to pause the queue because its budget is exceeded. */
export type Decision = ReturnType<typeof decideLimit>;

/** Whether the row may be submitted, or must wait for those in flight; and what it reserves. */
interface BudgetDecision {
  readonly decision: Decision;
  readonly reservation: Expected;
  /** Why the budget does not cover the row. */
  readonly problem: string;
}

/** Decides whether a budget covers a row. */
export function decideReservation(
  { spentUsd, reservedUsd, largest, above, unpriced, submitting }: QueueSpend,
  { path, usd, units }: Purchase,
  maxUsd: number,
): BudgetDecision {
  let unpricedUsd = 0;
  // They may have cost as much as any other.
  for (const [each, count] of unpriced) unpricedUsd += count * (largest.get(each) ?? 0);
  const estimatedUsd = roundUsd(reservedUsd + unpricedUsd);
  const learned = units ? toUsd((above.get(units.priceClass) ?? 0) * units.units) : 0;
  const price = usd === undefined ? undefined : toNano(Math.max(usd, learned));
  const largestUsd = largest.get(path);
  const state = {
    limit: toNano(maxUsd),
    committed: toNano(spentUsd + estimatedUsd),
    next: expectedOf(price, largestUsd === undefined ? undefined : toNano(largestUsd)),
    inFlight: submitting,
    unpriced: unpriced.get(path) ?? 0,
  };
  const problem =
    `${spentUsd} of ${maxUsd} USD spent, ${estimatedUsd} USD reserved for rows that may be charged; ` +
    reservationProblem(state);
  return { decision: decideLimit(limitPolicies.queue, state), reservation: state.next, problem };
}
