import { AbortedError, PolygateError } from 'polygate';
import type { BatchProgress, ChatSubmission, Polygate, Submission } from 'polygate';

import { contentText } from '../../../internal.ts';
import { messagesOf, cutReason } from '../chat.ts';
import { commandMessage } from '../failure.ts';
import { submissionOf } from '../stored-task.ts';
import { BatchRun } from './batch-run.ts';
import type { RunContext, RunEnd } from './batch-run.ts';
import type { PlannedRow } from './plan.ts';
import { showProgress } from './progress.ts';
import { inSendingOrder } from './work.ts';
import type { WorkRow } from './work.ts';

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
