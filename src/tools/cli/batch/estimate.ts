import type { Model } from 'polygate';

import { requestPrice, roundUsd } from '../../../internal.ts';
import { formatUsd } from '../money.ts';
import { sumCosts } from './state/journal-state.ts';
import type { Costs, JournalState } from './state/journal-state.ts';
import type { PlannedRow } from './table/plan.ts';
import { needsPayment } from './work.ts';
import type { WorkRow } from './work.ts';

/** What a batch costs. */
export interface Estimate {
  /** What earlier runs have cost, without the rows that this one sends again under their keys. */
  readonly before: Costs;
  /** What the rows without a charge will cost, in USD. */
  readonly openUsd: number;
  /** The number of those rows whose price is not known. */
  readonly unpriced: number;
}

/** What an estimate depends on. */
interface EstimateInput {
  readonly work: readonly WorkRow[];
  /** All rows that the batch has ever sent, including those that are no longer in the table. */
  readonly journal: JournalState;
  readonly models: readonly Model[];
  readonly resendUnknown: boolean;
}

/** Estimates what is left to pay. */
export function estimateCosts({ work, journal, models, resendUnknown }: EstimateInput): Estimate {
  const prices = new Map(models.map(({ id, pricing }) => [id, pricing]));
  const earlier = new Map(journal);
  let openUsd = 0;
  let unpriced = 0;
  for (const row of work) {
    if (!needsPayment(row, resendUnknown)) continue;
    // It is charged once, now or before.
    if (row.recorded?.needsReplay) earlier.delete(row.journalId);
    const usd = priceOf(row)?.(prices.get(row.model));
    if (usd === undefined) unpriced += 1;
    else openUsd += usd;
  }
  return { before: sumCosts(earlier.values()), openUsd: roundUsd(openUsd), unpriced };
}

/** Whether a limit covers everything, as far as it is known. */
export function fitsLimit({ before, openUsd }: Estimate, maxUsd: number): boolean {
  return roundUsd(before.usd + before.uncertainUsd + openUsd) <= roundUsd(maxUsd);
}

/** How to estimate the price of a row; undefined for chats, which are billed by what they generate. */
function priceOf({ kind, prompt, params }: PlannedRow) {
  return kind === 'chat' ? undefined : requestPrice[kind]({ ...params, text: prompt });
}

/** Describes the costs in one line. */
export function estimateText({ before, openUsd, unpriced }: Estimate): string {
  return [
    formatUsd(openUsd),
    ...(unpriced > 0 ? [`and ${count(unpriced)} without a known price`] : []),
    ...(before.usd > 0 || before.uncertain > 0
      ? [`besides what was charged before: ${costsText(before)}`]
      : []),
  ].join(' ');
}

/** Describes what was charged. It can be more than what is known. */
export function costsText({ usd, uncertain, uncertainUsd }: Costs): string {
  if (uncertain === 0) return formatUsd(usd);
  const estimate = uncertainUsd > 0 ? ` (estimate: ${formatUsd(uncertainUsd)})` : '';
  return `at least ${formatUsd(usd)}; ${count(uncertain)} may have been charged more${estimate}`;
}

const count = (rows: number): string => (rows === 1 ? '1 row' : `${rows} rows`);
