import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { AbortedError, PolygateError } from 'polygate';
import type { Journal, Polygate, BatchProgress, ChatSubmission, Submission } from 'polygate';
import { fileJournal } from 'polygate/journal';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { openJournal, contentText } from '../../../internal.ts';
import { messagesOf, cutReason } from '../chat.ts';
import { batchKinds } from '../command-options.ts';
import { commandMessage } from '../failure.ts';
import { parseWithFields } from '../params.ts';
import { EarlyEnd, CommandLog, runCommand } from '../run-command.ts';
import { prepareFolder } from '../save-results.ts';
import { createSavingGateway, resolveSettings } from '../settings.ts';
import { submissionOf } from '../stored-task.ts';
import { accountOf, digest } from '../task-store.ts';
import { note } from '../terminal.ts';
import { createCleaner } from '../text.ts';
import { BatchRun } from './batch-run.ts';
import type { RunContext, RunEnd } from './batch-run.ts';
import { getConsent } from './estimate.ts';
import { help, parseBatchArguments } from './options.ts';
import type { BatchArguments } from './options.ts';
import { folderOf } from './output-names.ts';
import type { PlannedRow } from './plan.ts';
import { TableError, prepare, prepareFolders } from './prepare.ts';
import { showProgress } from './progress.ts';
import { report } from './report.ts';
import { inSendingOrder } from './work.ts';
import type { WorkRow } from './work.ts';

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

/**
 * Locks a journal from before it is read until the results are written, so that two processes never save the same row.
 *
 * @throws `ConfigurationError` with the id of the other process that uses it.
 */
async function lockJournal(journal: Journal, path: string) {
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

/** Sends the rows that are not done, waits for them and saves their results. */
export async function runRows(all: readonly WorkRow[], context: RunContext): Promise<RunEnd> {
  const run = new BatchRun(all, context);
  const rows = inSendingOrder(all);
  if (rows.length === 0) return run.ended();
  const stopProgress = showProgress(run);
  try {
    await sendRows(rows, run, context);
    await run.saved();
    return run.ended();
  } catch (error) {
    await run.saved();
    if (AbortedError.is(error)) addOpenRows(rows, run, error);
    // After Ctrl-C, there is nothing to explain.
    return run.ended(context.end.exitCode === undefined ? error : undefined);
  } finally {
    stopProgress();
  }
}

async function sendRows(
  rows: readonly WorkRow[],
  run: BatchRun,
  { gateway, journal, maxUsd, resendUnknown, clean }: RunContext,
): Promise<void> {
  const options = {
    journal,
    id: ({ journalId }: WorkRow) => journalId,
    signal: run.signal,
    maxUsd,
    resendUnknown,
    onProgress: (progress: BatchProgress) => {
      run.client = progress;
    },
  };
  const results = gateway.batch(rows, (row) => rowSubmission(gateway, row), options);
  for await (const row of results) {
    const { input, status, error, task, idempotencyKey, generation, completion } = row;
    const known = { taskId: task?.id, idempotencyKey };
    if (generation !== undefined) await run.save(input, generation, known);
    else {
      const answer = completion && contentText(completion.choices[0]?.message.content);
      const finishReason = completion && cutReason(completion);
      // The results file has the id of the row.
      const message = error && clean(commandMessage(error, { subject: undefined }));
      const reason = PolygateError.is(error) ? error.reason : undefined;
      run.add(input, { ...known, status, answer, finishReason, error: message, reason });
    }
  }
}

/** Adds the rows that were sent and have not ended. */
function addOpenRows(rows: readonly WorkRow[], run: BatchRun, { rows: open }: AbortedError): void {
  const byId = new Map(rows.map((row) => [row.journalId, row]));
  for (const { id, outcome, task, idempotencyKey } of open ?? []) {
    const row = byId.get(id);
    // If the task is known, its result is not in doubt.
    const status = outcome === 'unknown' && task === undefined ? 'unknown' : 'open';
    if (row) run.add(row, { status, taskId: task?.id, idempotencyKey });
  }
}

/** The submission of a row. */
function rowSubmission(
  gateway: Polygate,
  { kind, model, prompt, system, params }: PlannedRow,
): Submission | ChatSubmission {
  if (kind !== 'chat') return submissionOf(gateway, { kind, model, prompt, params });
  const messages = messagesOf({ prompt, system });
  return gateway.chat.completions.submission({ model, messages }, { extraBody: { ...params } });
}
