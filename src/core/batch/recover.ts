import { ConnectionError } from '../../errors/connection.ts';
import type { Journal } from '../../schemas/journal.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';
import type { ClientContext } from '../call/context.ts';
import { captureContext } from '../config/caller-context.ts';
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
export async function* recover(
  client: ClientContext,
  journal: Journal,
  namespaceFor: (kind: TaskKind) => Restore,
  options: RecoverOptions,
  // Not in the body, which runs when the caller takes the first result.
  enterCaller = captureContext(client.config),
): AsyncGenerator<BatchResult, void, undefined> {
  checkOptions(options, recoverRules);
  checkValue('journal', journal ?? null, journalRule);
  const context = createBatchContext(client, journal, enterCaller, options);
  const { damaged, rows } = context.journal;
  await context.journal.read();
  for (const error of damaged) yield { id: '', status: 'unknown', error };
  // The params of a row that cannot have been charged are kept only if a 402 is the reason.
  const unfinished = [...rows].filter(
    ([, history]) => (mayBeCharged(history) || history.params) && !history.status,
  );
  rows.clear();
  yield* runConcurrently(
    unfinished,
    async ([id, history], controller, markIdle) => {
      const enter = () => planRecovery(history, namespaceFor);
      const item = identify(id, history);
      return { result: await runItem(item, enter, context, controller, markIdle) };
    },
    context,
    () => unfinished.length,
  );
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
    'The journal lacks the original params of this row, which may have been charged. ' +
      'Run the batch again with the same journal.',
    { outcome: 'unknown', idempotencyKey: key },
  );
}
