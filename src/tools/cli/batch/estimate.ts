import type { Model } from 'polygate';

import { requestPrice } from '../../../internal.ts';
import { roundUsd } from '../../../paid/amounts.ts';
import { formatUsd } from '../../money.ts';
import type { BatchKind } from '../params.ts';
import type { PlannedRow } from './plan.ts';
import { costsText, count, inSendingOrder, needsPayment, sumCosts } from './work.ts';
import type { Costs, JournalState, WorkRow } from './work.ts';

/** A row that has to be paid for. */
export interface PayableRow extends Pick<PlannedRow, 'kind'> {
  /** Its price in USD; undefined if it is not known. */
  readonly usd: number | undefined;
}

/** What a batch costs. */
export interface Estimate {
  /** What earlier runs have cost, without the rows that this one sends again under their keys. */
  readonly before: Costs;
  /** The rows that have to be paid for, in the order in which they are sent. */
  readonly payable: readonly PayableRow[];
  /** What they will cost, in USD. */
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
  const payable: PayableRow[] = [];
  for (const row of inSendingOrder(work)) {
    if (!needsPayment(row, resendUnknown)) continue;
    // It is charged once, now or before.
    if (row.recorded?.needsReplay) earlier.delete(row.journalId);
    payable.push({ kind: row.kind, usd: priceOf(row)?.(prices.get(row.model)) });
  }
  const unpriced = payable.filter(({ usd }) => usd === undefined).length;
  return { before: sumCosts(earlier.values()), payable, openUsd: sumOf(payable), unpriced };
}

/** The sum of the known prices, in USD. */
export const sumOf = (rows: readonly PayableRow[]): number =>
  roundUsd(rows.reduce((sum, { usd = 0 }) => sum + usd, 0));

/** The first rows that a limit covers, as far as their prices are known. */
export function coveredRows({ before, payable }: Estimate, maxUsd: number): readonly PayableRow[] {
  let usd = before.usd + before.uncertainUsd;
  for (const [index, row] of payable.entries()) {
    usd += row.usd ?? 0;
    if (roundUsd(usd) > roundUsd(maxUsd)) return payable.slice(0, index);
  }
  return payable;
}

/** What all runs cost together, as far as it is known, in USD. */
export const totalUsd = ({ before, openUsd }: Estimate): number =>
  roundUsd(before.usd + before.uncertainUsd + openUsd);

/** Whether a limit covers everything, as far as it is known. */
export function fitsLimit(estimate: Estimate, maxUsd: number): boolean {
  return totalUsd(estimate) <= roundUsd(maxUsd);
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

/** The question before rows are sent: `Send 5 of 60 images for about $0.10?` */
export function questionText(
  covered: readonly PayableRow[],
  payable: readonly PayableRow[],
): string {
  const [kind, ...otherKinds] = new Set(payable.map((row) => row.kind));
  const [one, many] = kind === undefined || otherKinds.length > 0 ? rowNouns : nouns[kind];
  const all = payable.length;
  const number = covered.length < all ? `${covered.length} of ${all}` : all;
  const hasUnpriced = covered.some(({ usd }) => usd === undefined);
  return `Send ${number} ${all === 1 ? one : many} for ${hasUnpriced ? 'at least' : 'about'} ${formatUsd(sumOf(covered))}?`;
}

const rowNouns = ['row', 'rows'] as const;

const nouns: Readonly<Record<BatchKind, readonly [one: string, many: string]>> = {
  image: ['image', 'images'],
  video: ['video', 'videos'],
  music: ['piece of music', 'pieces of music'],
  speech: ['text', 'texts'],
  chat: ['chat', 'chats'],
};
