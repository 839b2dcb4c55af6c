import type { Model } from 'polygate';

import { requestPrice } from '../../internal/charges.ts';
import { formatUsd } from '../money.ts';
import type { PlannedRow } from './table/plan.ts';
import type { WorkRow } from './work.ts';

/** What a batch costs. */
export interface Estimate {
  /** What its rows have cost in earlier runs, in USD. */
  readonly chargedUsd: number;
  /** What the rows without a charge will cost, in USD. */
  readonly openUsd: number;
  /** The number of those rows whose price is not known. */
  readonly unpriced: number;
}

/** Estimates what is left to pay. */
export function estimateCosts(rows: readonly WorkRow[], models: readonly Model[]): Estimate {
  const prices = new Map(models.map(({ id, pricing }) => [id, pricing]));
  let chargedUsd = 0;
  let openUsd = 0;
  let unpriced = 0;
  for (const row of rows) {
    chargedUsd += row.usd;
    if (row.isDone || row.isPaid || row.isCompleted) continue;
    const usd = priceOf(row)?.(prices.get(row.model));
    if (usd === undefined) unpriced += 1;
    else openUsd += usd;
  }
  return { chargedUsd: rounded(chargedUsd), openUsd: rounded(openUsd), unpriced };
}

/** Sums of amounts such as 0.1 are not exact. */
const rounded = (usd: number): number => Math.round(usd * 1e9) / 1e9;

/** Whether a limit covers everything, as far as it is known. */
export function fitsLimit({ chargedUsd, openUsd }: Estimate, maxUsd: number): boolean {
  return rounded(chargedUsd + openUsd) <= rounded(maxUsd);
}

/** How to estimate the price of a row; undefined for chats, which are billed by what they generate. */
function priceOf({ kind, prompt, params }: PlannedRow) {
  switch (kind) {
    case 'image':
      return requestPrice.image(params);
    case 'video':
      return requestPrice.video(params);
    case 'music':
      return requestPrice.audio({});
    case 'speech':
      return requestPrice.audio({ text: prompt });
    case 'chat':
      return undefined;
  }
}

/** Describes the costs in one line. */
export function estimateText({ chargedUsd, openUsd, unpriced }: Estimate): string {
  return [
    formatUsd(openUsd),
    ...(unpriced > 0 ? [`and ${unpriced} rows without a known price`] : []),
    ...(chargedUsd > 0 ? [`besides ${formatUsd(chargedUsd)} that was charged before`] : []),
  ].join(' ');
}
