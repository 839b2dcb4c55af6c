import type { Model, Polygate } from 'polygate';

import { requestPrice } from '../../../internal.ts';
import { roundUsd } from '../../../paid/amounts.ts';
import { exactUsd, formatUsd } from '../../money.ts';
import { UsageError } from '../arguments.ts';
import type { BatchKind } from '../params.ts';
import { ask, note, printJson } from '../terminal.ts';
import type { BatchArguments } from './options.ts';
import type { PlannedRow } from './plan.ts';
import {
  costsText,
  count,
  inSendingOrder,
  isDone,
  needsPayment,
  rowsText,
  sumCosts,
} from './work.ts';
import type { Costs, JournalState, WorkRow } from './work.ts';

/** A row that has to be paid for. */
export interface PayableRow extends Pick<PlannedRow, 'kind'> {
  /** Its price in USD; undefined if it is not known. */
  readonly usd: number | undefined;
}

/** What a batch costs. */
interface Estimate {
  /** What earlier runs have cost, without the rows that this one sends again under their keys. */
  readonly before: Costs;
  /** The rows that have to be paid for, in the order in which they are sent. */
  readonly payable: readonly PayableRow[];
  /** What they will cost, in USD. */
  readonly openUsd: number;
  /** The number of those rows whose price is not known. */
  readonly unpriced: number;
}

/** Estimates what is left to pay. */
export function estimateCosts({
  work,
  journal,
  models,
  resendUnknown,
}: {
  readonly work: readonly WorkRow[];
  /** All rows that the batch has ever sent, including those that are no longer in the table. */
  readonly journal: JournalState;
  readonly models: readonly Model[];
  readonly resendUnknown: boolean;
}): Estimate {
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
const sumOf = (rows: readonly PayableRow[]): number =>
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
const totalUsd = ({ before, openUsd }: Estimate): number =>
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

/** Estimates above this amount need a confirmation, in USD. */
const confirmAboveUsd = 1;

/**
 * Prints what a batch will do and cost, and asks for a confirmation if it is expensive. Returns whether to send it; throws
 * a `UsageError` if the limit is missing or too low.
 */
export async function getConsent(
  { work, estimate }: { readonly work: readonly WorkRow[]; readonly estimate: Estimate },
  options: BatchArguments,
  gateway: Polygate,
): Promise<boolean> {
  const { maxUsd, partial, dryRun, yes, json } = options;
  const hasTerminal = process.stdin.isTTY && process.stderr.isTTY;
  const open = work.filter((row) => !isDone(row)).length;
  // The limit is for what is paid; a key that may not read the account can still pay.
  const balanceUsd = await gateway.account.retrieve({ timeout: 10_000, maxRetries: 0 }).then(
    ({ balance }) => (typeof balance?.usd === 'number' ? balance.usd : undefined),
    () => undefined,
  );
  note(`Rows:           ${rowsText(work, options.resendUnknown)}`);
  note(`Estimated cost: ${estimateText(estimate)}`);
  note(`Balance:        ${balanceUsd === undefined ? 'not reported' : formatUsd(balanceUsd)}`);
  const { payable } = estimate;
  const covered = maxUsd === undefined ? payable : coveredRows(estimate, maxUsd);
  const part = `${covered.length} of ${payable.length} rows`;
  if (maxUsd !== undefined && !fitsLimit(estimate, maxUsd)) {
    if (!partial) {
      const advice = covered.length === 0 ? '' : '; --partial sends as many rows as it covers';
      throw new UsageError(
        `the estimate of ${exactUsd(totalUsd(estimate))} is above --max-usd ${exactUsd(maxUsd)}, which covers ${part}${advice}`,
      );
    }
    note(`Limit:          ${exactUsd(maxUsd)} covers ${part}, for ${formatUsd(sumOf(covered))}`);
  }
  if (dryRun) {
    const { before, openUsd, unpriced } = estimate;
    if (json) {
      await printJson({
        rows: work.length,
        open,
        chargedUsd: before.usd,
        uncertainRows: before.uncertain,
        uncertainUsd: before.uncertainUsd,
        estimatedUsd: openUsd,
        unpriced,
        covered: covered.length,
        balanceUsd,
      });
    }
    return false;
  }
  if (maxUsd === undefined && !hasTerminal) {
    throw new UsageError('without a terminal, --max-usd <usd> is required');
  }
  const isExpensive = estimate.openUsd > confirmAboveUsd;
  if (!isExpensive || covered.length === 0 || yes || !hasTerminal) return true;
  const response = await ask(`${questionText(covered, payable)} [y/N] `, { isHidden: false });
  const isConfirmed = /^y(es)?$/i.test(response.trim());
  if (!isConfirmed) note('Nothing was sent.');
  return isConfirmed;
}
