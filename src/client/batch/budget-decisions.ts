import type { Wording } from '../../errors/base.ts';
import { usdText } from '../../errors/message.ts';
import { toNano, toUsd } from '../../paid/amounts.ts';
import { isUnpriced, maxUnpriced } from '../../paid/limits.ts';
import type { Expected, LimitState } from '../../paid/limits.ts';
import { pricedUnits } from '../../paid/prices.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import { reportedCharge, verdictOfError } from '../../paid/verdict.ts';
import type { KnownPrices } from '../limits/prices.ts';

/** What programs read: amounts in USD, and options by their names in code. */
export const forPrograms: Wording = {
  usd: usdText,
  amounts: (usd, whole) => `${usd} of ${whole} USD`,
  option: (name) => name,
  limit: 'the budget',
  again: 'run it again with the same journal',
};

/** The price in USD with the most expensive of the models; undefined if the price with one is not known. */
export async function highestPrice(
  models: readonly string[],
  priceAt: (model: string) => Promise<number | undefined>,
): Promise<number | undefined> {
  let highest = 0;
  for (const model of models) {
    const price = await priceAt(model);
    if (price === undefined) return undefined;
    highest = Math.max(highest, price);
  }
  return highest;
}

/** What to reserve for a request. `largest` is the largest charge for such a request so far, if one is known. In USD. */
export function reservationFor(price: number | undefined, largest: number | undefined): Expected {
  if (price !== undefined) return { nanoUsd: toNano(price), basis: 'price' };
  if (largest !== undefined) return { nanoUsd: toNano(largest), basis: 'largest-charge' };
  return { nanoUsd: 0, basis: 'unknown' };
}

/** A submission whose price can be estimated. */
export interface Priceable {
  /** The models to which it may be sent. */
  readonly models: readonly string[];
  /** Estimates the price in USD from the prices of a model; undefined if it is not known. */
  readonly estimateUsd: (prices: KnownPrices) => number | undefined;
}

/** What a submission with this price in USD pays for; undefined if that is not known. */
export function unitsOf(
  { models, estimateUsd }: Priceable,
  path: string,
  price: number,
): PricedUnits | undefined {
  const units = estimateUsd({ unitPriceUsd: 1 });
  if (!units) return undefined;
  return pricedUnits([path, models], price, units);
}

/** What unpriced requests may have cost: as much as any other. Both are by path. */
export function unpricedUsd(
  unpriced: ReadonlyMap<string, number>,
  largest: ReadonlyMap<string, number>,
): number {
  let usd = 0;
  for (const [path, count] of unpriced) usd += count * (largest.get(path) ?? 0);
  return usd;
}

/** Why a budget does not cover a submission. */
export function reservationProblem(
  { next, unpriced = 0 }: LimitState,
  { usd, option }: Wording = forPrograms,
): string {
  if (!isUnpriced(next)) return `the next row costs ${usd(toUsd(next.nanoUsd))}`;
  if (unpriced < maxUnpriced) return 'the price of the next row is not known';
  return (
    `${unpriced} more rows may have been charged, and what such a row costs is not known. ` +
    `It becomes known when the service reports a charge above 0 for one, for example in a run without ${option('maxUsd')}`
  );
}

/** What a submission counts toward `maxUsd` when it has ended: its charge, what is reserved for it, or nothing. */
export type CountedCharge =
  | { readonly counts: 'charge'; readonly usd: number }
  | { readonly counts: 'reservation' | 'nothing' };

/** What the response to a submission says about its charge. */
export interface ChargeReport {
  /** The charge in USD, if the service has reported one. */
  readonly chargeUsd: number | undefined;
  /** Whether the response is that of an earlier request with the same key. Only that one was charged. */
  readonly isReplay: boolean;
}

/**
 * What an accepted submission of a row counts, in a batch and in a queue:
 *
 *     response                     isReplayPaid   counts
 *     ---------------------------  -------------  -----------
 *     first one, with a charge     any            charge
 *     first one, without a charge  any            reservation
 *     replay, charge above 0       yes            charge
 *     replay, charge of 0 or none  yes            reservation
 *     replay                       no             nothing
 *
 * `isReplayPaid` means that the owner of the budget may have paid for the request that is replayed, and may not have counted
 * it. A batch and a queue differ only in what they know about that request:
 *
 * - In a batch, `isReplayPaid` is always true. The journal has neither the requests of a run without a journal, whose
 *   keys the caller can pass on, nor those whose lines are lost. So a replay counts even if another program has paid
 *   for it: `maxUsd` limits what the tasks and completions of a batch cost together.
 * - In a queue, it is true if the row was submitted before. Redis has every request of every row, and the sum of a
 *   queue keeps the charges of removed rows. Any other request counts already, or another program has paid for it.
 */
export function countedCharge({
  chargeUsd,
  isReplay,
  isReplayPaid,
}: ChargeReport & { readonly isReplayPaid: boolean }): CountedCharge {
  if (isReplay && !isReplayPaid) return { counts: 'nothing' };
  const usd = reportedCharge(chargeUsd, isReplay);
  return usd === undefined ? { counts: 'reservation' } : { counts: 'charge', usd };
}

/**
 * What a submission counts that may have been charged and has failed: the charge above 0 that its response has reported,
 * for example with a body that cannot be read, or else what is reserved.
 */
export function countedFailure(error: unknown): CountedCharge {
  const usd = verdictOfError(error)?.usd;
  return usd ? { counts: 'charge', usd } : { counts: 'reservation' };
}
