import { ConnectionError } from '../../errors/connection.ts';
import type { Journal } from '../../types/tasks/journal.ts';
import type { Receipt, TaskKind } from '../../types/tasks/task.ts';
import type { ClientContext } from '../call/context.ts';
import { abortedError } from '../call/errors.ts';
import { captureContext } from '../config/caller-context.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { checkOptions, checkValue } from '../config/validation.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { fingerprint } from '../tasks/fingerprint.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import { createBatchContext, recoverRules } from './batch-context.ts';
import type { BatchContext, RecoverOptions } from './batch-context.ts';
import { identify, runItem } from './batch-item.ts';
import type { Plan } from './batch-item.ts';
import { journalRule, mayBeCharged } from './batch-journal.ts';
import type { RowHistory } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
import { taskKindOf } from './journal-line.ts';
import { runConcurrently } from './run-concurrently.ts';

/** Recreates what a journal records about a kind of task: a namespace of the client. */
interface Restore {
  /** The submission of a `submit` line that has params. */
  restore(path: string, params: { model: string }): Submission;
  /** The task of an `accepted` line. */
  task(receipt: Receipt): Task;
}

/**
 * Finishes the rows that an earlier process left unfinished: waits for their tasks, and resubmits rows whose params are
 * stored.
 */
export function recover(
  client: ClientContext,
  journal: Journal,
  namespaceFor: (kind: TaskKind) => Restore,
  options: RecoverOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  // Not in the generator, which runs when the caller takes the first result.
  return generateRows(client, captureContext(client.config), journal, namespaceFor, options);
}

async function* generateRows(
  client: ClientContext,
  enterCaller: CallerContext,
  journal: Journal,
  namespaceFor: (kind: TaskKind) => Restore,
  options: RecoverOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  checkOptions(options, recoverRules);
  checkValue('journal', journal ?? null, journalRule);
  const context = createBatchContext(client, journal, enterCaller, options);
  const { damaged, rows } = context.journal;
  await readJournal(context);
  for (const error of damaged) yield { id: '', status: 'unknown', error };
  // The params of a row that cannot have been charged are kept only if a 402 is the reason.
  const unfinished = Array.from(rows, ([id, history]) => ({ item: identify(id, history) })).filter(
    ({ item: { history } }) => (mayBeCharged(history) || history.params) && !history.status,
  );
  rows.clear();
  yield* runConcurrently(
    unfinished,
    async ({ item }, controller, markIdle) => {
      const enter = () => planRecovery(item.history, namespaceFor);
      return { result: await runItem(item, enter, context, controller, markIdle) };
    },
    context,
    { countRows: () => unfinished.length, endsAtPause: false },
  );
}

/** How long the journal may be read if the recovery was aborted before, in ms: the error lists the rows. */
const maxReadTime = 1_000;

/** Reads the journal, which can hang, until the caller aborts. */
async function readJournal({ journal, signal, config: { clock } }: BatchContext): Promise<void> {
  const aborted = () =>
    abortedError(
      signal?.reason,
      { outcome: 'unknown', rows: [] },
      'Aborted by the caller before the journal was read. This recovery sent nothing, but an earlier run may have been charged for its rows.',
    );
  const errors = { aborted, timeout: aborted };
  const limit = signal?.aborted ? { clock, ms: maxReadTime, errors } : { signal, errors };
  await runWithTimeLimit(() => journal.read(), limit);
}

/** A row can be sent again only if its params were stored as well. */
async function planRecovery(
  history: RowHistory,
  namespaceFor: (kind: TaskKind) => Restore,
): Promise<Plan<TaskKind>> {
  const { receipt, path = '', params, hash = '', key = '' } = history;
  if (receipt) return { task: namespaceFor(receipt.kind).task(receipt) };
  const kind = taskKindOf(path);
  // Params that were edited in the journal would be another request under the same key.
  const isIntact = params && hash === (await fingerprint(path, JSON.stringify(params)));
  if (kind && isIntact) {
    // A row that was rejected is submitted anew, which must be durable before it is sent.
    const intent = mayBeCharged(history) ? undefined : { key, path, hash, params };
    return { submission: namespaceFor(kind).restore(path, params), ...(intent && { intent }) };
  }
  throw new ConnectionError(
    'This row may have been charged, and the journal does not contain its params, so it was not resent. ' +
      'To get its result without a second charge, run the batch again with the same inputs and this journal. ' +
      'With `storeParams`, a journal contains them.',
    { outcome: 'unknown', idempotencyKey: key },
  );
}
