import { ConnectionError } from '../../errors/connection.ts';
import type { Journal } from '../../schemas/journal.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';
import type { ClientContext } from '../call/context.ts';
import { checkOptions, checkValue } from '../config/validation.ts';
import { fingerprint } from '../tasks/fingerprint.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import { createBatchContext, recoverRules } from './batch-context.ts';
import type { RecoverOptions } from './batch-context.ts';
import { identify, runItem } from './batch-item.ts';
import type { Plan } from './batch-item.ts';
import { journalRule, mayBeCharged } from './batch-journal.ts';
import type { RowHistory } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
import { taskKindOf } from './journal-line.ts';
import { runConcurrently } from './run-concurrently.ts';

/** Recreates what a journal records. The client implements it, because it knows the namespace of each kind of task. */
export interface Restore {
  /** The submission of a `submit` line that has params. */
  readonly submission: (kind: TaskKind, path: string, params: { model: string }) => Submission;
  /** The task of an `accepted` line. */
  readonly task: (receipt: Receipt) => Task;
}

/**
 * Finishes the rows that an earlier process left unfinished: waits for their tasks, and resubmits rows whose params are
 * stored.
 */
export async function* recover(
  context: ClientContext,
  journal: Journal,
  restore: Restore,
  options: RecoverOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  checkOptions(options, recoverRules);
  checkValue('journal', journal ?? null, journalRule);
  const batchContext = createBatchContext(context, journal, options);
  const { damaged, rows } = batchContext.journal;
  await batchContext.journal.read();
  for (const error of damaged) yield { id: '', status: 'unknown', error };
  const unfinished = [...rows].filter(([, history]) => mayBeCharged(history) && !history.status);
  yield* runConcurrently(
    unfinished,
    ([id, history], controller, markIdle) => {
      const enter = () => planRecovery(history, restore);
      return runItem(identify(id, history), enter, batchContext, controller, markIdle);
    },
    batchContext,
  );
}

/** A row can be sent again only if its params were stored as well. */
async function planRecovery(
  { receipt, path = '', params, hash, key }: RowHistory,
  restore: Restore,
): Promise<Plan<TaskKind>> {
  if (receipt) return { task: restore.task(receipt) };
  const kind = taskKindOf(path);
  // Params that were edited in the journal would be another request under the same key.
  const isIntact = params && hash === (await fingerprint(path, JSON.stringify(params)));
  if (kind && isIntact) return { submission: restore.submission(kind, path, params) };
  throw new ConnectionError(
    'The journal lacks the original params of this row, which may have been charged. ' +
      'Run its batch again with this journal: no row is charged twice.',
    { outcome: 'unknown', idempotencyKey: key },
  );
}
