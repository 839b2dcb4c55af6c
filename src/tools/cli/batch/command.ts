import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Journal, Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { openJournal } from '../../../internal.ts';
import { exactUsd, formatUsd } from '../../money.ts';
import { UsageError } from '../arguments.ts';
import { batchKinds } from '../command-options.ts';
import { parseWithFields } from '../params.ts';
import { EarlyEnd, CommandLog, runCommand } from '../run-command.ts';
import { prepareFolder } from '../save-results.ts';
import { createSavingGateway, resolveSettings } from '../settings.ts';
import { accountOf, digest } from '../task-store.ts';
import { note, ask, printJson } from '../terminal.ts';
import { createCleaner } from '../text.ts';
import { coveredRows, estimateText, fitsLimit, questionText, sumOf, totalUsd } from './estimate.ts';
import { help, parseBatchArguments } from './options.ts';
import type { BatchArguments } from './options.ts';
import { folderOf } from './output-names.ts';
import type { PlannedRow } from './plan.ts';
import { TableError, prepare, prepareFolders } from './prepare.ts';
import type { PreparedBatch } from './prepare.ts';
import { report } from './report.ts';
import { runRows } from './run-rows.ts';
import { isDone, rowsText } from './work.ts';

/** Runs the command, and returns its exit code. */
export function runBatch(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate batch', isPaid: true });
  return runCommand(log, help, async () => {
    const options = await parseWithFields(batchKinds, () => parseBatchArguments(args));
    if (!('journal' in options)) return options;
    const settings = resolveSettings(options.service, process.env);
    const gateway = createSavingGateway(settings);
    const clean = createCleaner(settings.apiKey);
    log.note({ clean });
    const { baseURL } = gateway;
    const service = { baseURL, account: accountOf({ baseURL, apiKey: settings.apiKey }) };
    const file = fileJournal(options.journal);
    if (existsSync(options.journal)) log.note({ hasEarlierCharges: true });
    const end = new EarlyEnd();
    let unlock = () => Promise.resolve();
    const stopQuitting = quitAtOnce(end, () => unlock());
    try {
      let journal = file;
      // A dry run reads, and changes nothing.
      if (!options.dryRun) ({ journal, unlock } = await lockJournal(file, options.journal));
      const means = { gateway, service, journal };
      const batch = await prepare(options, means).catch((error: unknown) => {
        if (error instanceof TableError) for (const line of error.lines) note(clean(line));
        throw error;
      });
      if (!(await getConsent(batch, options, gateway))) return options.dryRun ? 0 : 1;
      stopQuitting();
      prepareFolders(options, batch.rows.some(isTask));
      const { output: template } = options;
      // Discard the partial files of a killed run.
      const staging = stagingFolder(options);
      rmSync(staging, { recursive: true, force: true });
      const { record, estimate } = batch;
      const run = await openJournal(journal);
      await record.recordService({ ...service, run });
      if (batch.work.some((row) => !row.isDone)) log.note({ sent: 'unknown' });
      log.note({ next: 'run the same command again' });
      const runEnd = await runRows(batch.work, {
        ...options,
        gateway,
        journal,
        record,
        template,
        staging,
        chargedUsd: estimate.before.usd,
        end,
        clean,
      });
      rmSync(staging, { recursive: true, force: true });
      const code = await report(batch, { ...runEnd, journal }, options, log.context);
      return end.exitCode ?? code;
    } finally {
      end.dispose();
      await unlock();
    }
  });
}

/** Ends the process at Ctrl-C, as long as nothing was sent. Returns how to stop that. */
function quitAtOnce(end: EarlyEnd, unlock: () => Promise<void>): () => void {
  const quit = (): void => {
    note('Interrupted. Nothing was sent.');
    void unlock().finally(() => process.exit(end.exitCode));
  };
  end.signal.addEventListener('abort', quit);
  return () => {
    end.signal.removeEventListener('abort', quit);
  };
}

/** Belongs to the journal, which only one process uses at a time. */
function stagingFolder({ output, journal }: BatchArguments): string {
  const owner = digest(resolve(journal)).slice(0, 8);
  return join(folderOf(output), `.polygate-${owner}.parts`);
}

const isTask = ({ kind }: PlannedRow): boolean => kind !== 'chat';

/** A journal that only this process uses. */
interface LockedJournal {
  readonly journal: Journal;
  readonly unlock: () => Promise<void>;
}

/**
 * Locks a journal from before it is read until the results are written, so that two processes never save the same row.
 *
 * @throws `ConfigurationError` with the id of the other process that uses it.
 */
async function lockJournal(journal: Journal, path: string): Promise<LockedJournal> {
  prepareFolder(finalPath(path));
  // Whether a process of another container, or from before a restart, is alive shows only in what it does.
  const notice = setTimeout(() => {
    note('Another run may be using this journal: waiting 10 s for a sign of it.');
  }, 1_000);
  const unlock = await journal.lock?.().finally(() => {
    clearTimeout(notice);
  });
  if (unlock === undefined) return { journal, unlock: () => Promise.resolve() };
  // The batch locks it again.
  const lock = () => Promise.resolve(() => Promise.resolve());
  return { journal: { ...journal, lock }, unlock };
}

/** Estimates above this amount need a confirmation, in USD. */
const confirmAboveUsd = 1;

/**
 * Prints what a batch will do and cost, and asks for a confirmation if it is expensive. Returns whether to send it; throws
 * a `UsageError` if the limit is missing or too low.
 */
async function getConsent(
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
