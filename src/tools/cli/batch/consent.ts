import type { Polygate } from 'polygate';

import { UsageError } from '../arguments.ts';
import { ask } from '../ask.ts';
import { formatUsd } from '../money.ts';
import { note, printJson } from '../output.ts';
import { estimateText, fitsLimit } from './estimate.ts';
import type { BatchArguments } from './options.ts';
import type { PreparedBatch } from './prepare.ts';
import { isDone, rowsText } from './rows-text.ts';

/** Estimates above this amount need a confirmation, in USD. */
const confirmAboveUsd = 1;

/**
 * Prints what a batch will do and cost, and asks for a confirmation if it is expensive. Returns whether to send it; throws
 * a `UsageError` if the limit is missing or too low.
 */
export async function getConsent(
  batch: PreparedBatch,
  options: BatchArguments,
  gateway: Polygate,
): Promise<boolean> {
  const { work, estimate } = batch;
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
  const isOverLimit = maxUsd !== undefined && !fitsLimit(estimate, maxUsd);
  if (isOverLimit && !partial) {
    throw new UsageError(
      `the estimate is above --max-usd ${formatUsd(maxUsd)}; --partial sends as many rows as it covers`,
    );
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
        balanceUsd,
      });
    }
    return false;
  }
  if (maxUsd === undefined && !hasTerminal) {
    throw new UsageError('without a terminal, --max-usd <usd> is required');
  }
  const isExpensive = estimate.openUsd > confirmAboveUsd;
  if (!isExpensive || yes || !hasTerminal) return true;
  const response = await ask('Send it? [y/N] ', { isHidden: false });
  const isConfirmed = /^y(es)?$/i.test(response.trim());
  if (!isConfirmed) note('Nothing was sent.');
  return isConfirmed;
}
