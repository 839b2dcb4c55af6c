/**
 * The life of one row of a batch, from top to bottom:
 *
 *     identified -> planned -> journaled -> accepted -> finished
 *
 * A row continues from the state that the journal records. Each transition is a function that returns the next state; a
 * state is never modified. A transition that fails throws, and {@link toErrorResult} derives the result from the state
 * that the row had reached.
 *
 * What is durable, and what the next process does after a crash:
 *
 * - identified, planned: nothing is durable, and nothing was sent. The row starts over.
 * - journaled: the `submit` line is durable. Whether the request was sent is unknown, so it is sent again under the
 *   same key: the service returns the task of that key if there is one, and charges only once.
 * - accepted: the `accepted` line is durable, and the row waits for the task of its receipt. If that line was lost, the
 *   row is journaled. A `refused` line means that nothing was charged: the row starts over, even if its params have
 *   changed.
 * - finished: the `finished` line follows when the caller has taken the result. `recover` skips the row, and a batch
 *   that is run again yields it again.
 */
import { AbortedError } from '../../errors/aborted.ts';
import { PolygateError } from '../../errors/base.ts';
import type { ErrorDetails } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { TaskFailedError } from '../../errors/tasks.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';
import { textOf } from '../../schemas/type-guards.ts';
import type { AttemptObserver } from '../call/api-call.ts';
import type { Config } from '../config/config.ts';
import { fingerprint } from '../tasks/fingerprint.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import { mayBeCharged, noHistory } from './batch-journal.ts';
import type { BatchJournal, RowHistory } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
import { forwardAbort, throwIfRowAborted } from './halt.ts';
import type { BatchHalt } from './halt.ts';
import type { Intent, JournalLine } from './journal-line.ts';
import type { WorkerContext } from './run-concurrently.ts';
import { sendWhenSlotFree } from './send-when-slot-free.ts';

/** The parts of a submission that the transitions use: a `Submission`, or one restored from the journal. */
export interface PreparedSubmit<Kind extends TaskKind> {
  /** Sends the submission under the given key. */
  sendObserved(
    options: { readonly idempotencyKey: string | undefined; readonly signal: AbortSignal },
    observer: AttemptObserver,
  ): Promise<Task<Kind>>;
  /** Recreates the task from its receipt. */
  task(receipt: Receipt): Task<Kind>;
}

/** The row has an id, and its history is known. This process has done nothing for it yet. */
export interface IdentifiedItem {
  readonly state: 'identified';
  readonly id: string;
  /** Key of the row's submit, once it has one. */
  readonly idempotencyKey: string | undefined;
  readonly history: RowHistory;
  /** The signal of the row's own submission. */
  readonly signal?: AbortSignal | undefined;
  readonly task?: undefined;
}

/** The fields of every state. */
type Identity = Omit<IdentifiedItem, 'state'>;

/**
 * The row has a new submission and a key. Nothing is recorded or sent, and no earlier submission can have been charged.
 */
interface PlannedItem<Kind extends TaskKind> extends Identity {
  readonly state: 'planned';
  readonly intent: Intent;
  readonly prepared: PreparedSubmit<Kind>;
}

/** The submission is recorded. From here on, it may have been charged unless the service has rejected it. */
interface JournaledItem<Kind extends TaskKind> extends Identity {
  readonly state: 'journaled';
  readonly prepared: PreparedSubmit<Kind>;
}

/** The service has accepted the submission. */
interface AcceptedItem<Kind extends TaskKind> extends Omit<Identity, 'task'> {
  readonly state: 'accepted';
  readonly task: Task<Kind>;
}

/** A row in any state but the last, which is a {@link BatchResult}. */
export type BatchItem<Kind extends TaskKind> =
  | IdentifiedItem
  | PlannedItem<Kind>
  | JournaledItem<Kind>
  | AcceptedItem<Kind>;

/** What all rows of a batch share. */
export interface BatchContext {
  readonly journal: BatchJournal;
  readonly config: Config;
  readonly halt: BatchHalt;
  /** Options of the wait for each task, without its signal. */
  readonly waitOptions: Omit<WaitOptions, 'onUpdate' | 'signal'>;
}

/**
 * Takes a row through all its states. `enter` is {@link plan} for a row of a batch, and {@link resume} for a row of a
 * recovery. Never rejects.
 */
export async function runItem<Kind extends TaskKind>(
  identified: IdentifiedItem,
  enter: () => Promise<Exclude<BatchItem<Kind>, IdentifiedItem>>,
  context: BatchContext,
  { signal: batchSignal, markIdle }: WorkerContext,
): Promise<BatchResult<Kind>> {
  let item: BatchItem<Kind> = identified;
  const { halt } = context;
  const row = new AbortController();
  const { signal } = row;
  const listeners = [forwardAbort(batchSignal, row)];
  try {
    item = await enter();
    listeners.push(forwardAbort(item.signal, row));
    if (item.state === 'planned') {
      throwIfRowAborted(signal);
      throwIfRowAborted(halt.signal);
      item = await recordSubmit(item, context);
    }
    if (item.state === 'journaled') item = await submit(item, context, signal);
    markIdle();
    const generation = await item.task.wait({ ...context.waitOptions, signal });
    return { ...identityOf(item), status: 'succeeded', generation };
  } catch (error) {
    return toErrorResult(item, halt.explain(error, item.idempotencyKey));
  } finally {
    for (const stopListening of listeners) stopListening();
  }
}

/** Creates the first state of a row. */
export function identify(id: string, history = noHistory): IdentifiedItem {
  // Without a readable `submit` line, the receipt still has the key.
  const idempotencyKey = history.key ?? history.receipt?.idempotencyKey;
  return { state: 'identified', id, idempotencyKey, history };
}

const paramsDiffer =
  'its params differ from an earlier submission that may have been charged; restore them, or use another id';

/**
 * identified -> planned, or the state in which an earlier process left the row. Nothing is written or sent.
 *
 * @throws {@link ConfigurationError} when the submission is invalid, or differs from one that may have been charged.
 */
export async function plan<Kind extends TaskKind>(
  identified: IdentifiedItem,
  submission: Submission<Kind>,
  runId: string,
  storeParams: boolean,
): Promise<Exclude<BatchItem<Kind>, IdentifiedItem>> {
  const { id, history } = identified;
  const { idempotencyKey: ownKey, signal, ...request } = await submission.details(storeParams);
  const item = { ...identified, signal };
  const hasChanged = history.hash !== undefined && history.hash !== request.hash;
  if (mayBeCharged(history)) {
    if (hasChanged) throw rowError(id, paramsDiffer);
    return resume(item, submission);
  }
  // A submission that was rejected keeps its key. With other params it is another request, and needs another key.
  const previousKey = hasChanged ? undefined : history.key;
  const key = ownKey ?? previousKey ?? (await deriveKey(runId, id, hasChanged ? request.hash : ''));
  return {
    ...item,
    state: 'planned',
    idempotencyKey: key,
    intent: { key, ...request },
    prepared: submission,
  };
}

/** identified -> journaled or accepted, for a row that an earlier process may have paid for. */
export function resume<Kind extends TaskKind>(
  item: IdentifiedItem,
  prepared: PreparedSubmit<Kind>,
): JournaledItem<Kind> | AcceptedItem<Kind> {
  const { receipt } = item.history;
  return receipt
    ? { ...item, state: 'accepted', task: prepared.task(receipt) }
    : { ...item, state: 'journaled', prepared };
}

/** planned -> journaled. If the line cannot be written, nothing is sent. */
async function recordSubmit<Kind extends TaskKind>(
  item: PlannedItem<Kind>,
  { journal }: BatchContext,
): Promise<JournaledItem<Kind>> {
  await journal.append({ type: 'submit', id: item.id, ...item.intent });
  return { ...item, state: 'journaled' };
}

/**
 * journaled -> accepted. If the submission was certainly not charged, a `refused` line allows the row to be resubmitted
 * with other params.
 */
async function submit<Kind extends TaskKind>(
  item: JournaledItem<Kind>,
  { journal, config, halt }: BatchContext,
  signal: AbortSignal,
): Promise<AcceptedItem<Kind>> {
  const { id, idempotencyKey, prepared } = item;
  try {
    const send = () =>
      halt.sendUnlessHalted(
        (sendSignal, observer) =>
          prepared.sendObserved({ idempotencyKey, signal: sendSignal }, observer),
        signal,
      );
    const task = await sendWhenSlotFree(send, config, signal);
    // A response with a finished result may have no task id. Only its key can find it again, so no `accepted` line is
    // written.
    if (task.id) {
      await journal.tryAppend({ type: 'accepted', id, receipt: task.toJSON() });
    }
    return { ...item, state: 'accepted', task };
  } catch (error) {
    if (isFinal(item, error) && !AbortedError.is(error)) {
      await journal.tryAppend({ type: 'refused', id });
    }
    throw error;
  }
}

/** Any state -> finished, after the next transition has thrown. */
export function toErrorResult<Kind extends TaskKind>(
  item: BatchItem<Kind>,
  thrown: unknown,
): BatchResult<Kind> {
  const error =
    thrown instanceof Error ? thrown : new Error(textOf(thrown) ?? '', { cause: thrown });
  return { ...identityOf(item), status: isFinal(item, error) ? 'failed' : 'unknown', error };
}

/** The part of a result that does not depend on how the row ended. */
function identityOf<Kind extends TaskKind>({ id, idempotencyKey, task }: BatchItem<Kind>) {
  return { id, idempotencyKey, task };
}

/**
 * Whether an error in this state proves that the task failed or nothing was charged. If not, the row may have been
 * charged, and the next process continues it.
 */
function isFinal<Kind extends TaskKind>(item: BatchItem<Kind>, error: unknown): boolean {
  if (item.state === 'accepted') return TaskFailedError.is(error);
  // What happens in this process says nothing about a request that an earlier process may have sent.
  if (mayBeCharged(item.history)) return false;
  // A callback that submits a request itself may have caused a charge before the row was journaled.
  return item.state === 'journaled'
    ? isUncharged(error)
    : !(PolygateError.is(error) && error.outcome === 'unknown');
}

/** Whether an error of a submission proves that it was not charged. */
function isUncharged(error: unknown): boolean {
  if (!PolygateError.is(error) || error.task !== undefined) return false;
  return (error.outcome ?? 'unknown') !== 'unknown' || ConfigurationError.is(error);
}

/**
 * Derives a key for a row that has none. It is the same in every process that runs the batch with the same journal.
 * `changedHash` is the fingerprint of the params if they replace rejected ones, otherwise empty.
 */
async function deriveKey(runId: string, rowId: string, changedHash: string): Promise<string> {
  return `pg-${await fingerprint(runId, rowId, changedHash)}`;
}

/** The line for a result that the caller has taken; undefined if the next process must look at the row again. */
export function finishedLine({ id, task, status }: BatchResult): JournalLine | undefined {
  return task && status !== 'unknown' ? { type: 'finished', id, status } : undefined;
}

/** Creates the error for a row that cannot be planned. */
export function rowError(
  id: unknown,
  problem: string,
  effect = 'Nothing was sent.',
  details?: ErrorDetails,
): ConfigurationError {
  return new ConfigurationError(`row ${textOf(id) ?? '?'}: ${problem}. ${effect}`, details);
}
