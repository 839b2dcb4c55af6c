import { namedTask } from '../../paid/failed-call.ts';
import { next, nextChat, verdictOfTask } from '../../paid/life.ts';
import { verdictOf } from '../../paid/verdict.ts';
import type { Verdict } from '../../paid/verdict.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import type { RequestOptions, SubmissionDetails } from '../call/request-options.ts';
import type { ChatSubmission } from '../chat/chat-submission.ts';
import { emptyMeta } from '../http/response-meta.ts';
import type { Submission } from '../tasks/submission.ts';
import { hasId } from '../tasks/task-scope.ts';
import type { Task } from '../tasks/task.ts';
import type { Priced } from './budget-decisions.ts';
import { requestHash, rowKey } from './journal-line.ts';
import type { CostFields, Intent, RowLine } from './journal-line.ts';
import type { RowOutcome } from './results.ts';
import {
  changedParamsError,
  contestedRowError,
  damagedJournalError,
  lostChatError,
} from './row-errors.ts';
import { lifeOf, mayBeCharged } from './row-history.ts';
import type { Row } from './row.ts';
import type { RunContext } from './run.ts';

/** What a row sends: the submission of a task or a chat. */
export interface RowSubmission<Accepted> extends Priced {
  /** What is recorded before it is sent. */
  readonly intent: Intent;
  /** Set if an earlier run has recorded it, and may have sent it under its key. */
  readonly recordedBy?: 'earlier-run' | undefined;
  send(options: RequestOptions, observer: AttemptObserver): Promise<Accepted>;
}

/** How a row starts: with what an earlier run has received for it, or with a submission. */
export type RowStart<Accepted> =
  | { readonly accepted: Accepted }
  | { readonly submission: RowSubmission<Accepted> };

/**
 * How a row continues from what earlier runs recorded, and in what tasks and chats differ. `Accepted` is what proves that a
 * submission was charged: the task, or the completion.
 */
export interface RowPlan<Accepted> {
  readonly start: RowStart<Accepted>;
  /** The signal of the submission, as its caller passed it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the service charges a submission once under its key, however often it is sent. If not, the intent is recorded
   * at the last moment, when the request has a concurrency slot: after a crash, a row with an intent is not sent again.
   */
  readonly isChargedOnce: boolean;
  /** What the response says about the charge of the submission. */
  verdictOf(accepted: Accepted): Verdict;
  /** The task, if the row is one. */
  taskOf(accepted: Accepted): Task | undefined;
  /** The journal line that makes `accepted` durable; undefined if nothing could be found with it. */
  toLine(id: string, accepted: Accepted, cost: CostFields): RowLine | undefined;
  /** The result of the row. */
  finish(accepted: Accepted, signal: AbortSignal): Promise<RowOutcome>;
}

/** A completion, and the metadata of its response. */
interface Completed {
  readonly completion: ChatCompletion;
  readonly meta: ResponseMeta;
}

/** The completion that an earlier run has received. Nothing needs its metadata again. */
export function receivedEarlier(completion: ChatCompletion): RowStart<Completed> {
  return { accepted: { completion, meta: emptyMeta(200) } };
}

/** The submission of a chat, as a row sends it. */
export function chatSubmission(
  submission: ChatSubmission<unknown>,
  intent: Intent,
): RowSubmission<Completed> {
  return {
    models: [submission.model],
    intent,
    send: async (options, observer) => {
      const { data, meta } = await submission.sendUnparsed(options, observer).withResponse();
      return { completion: data, meta };
    },
  };
}

/**
 * The plan for the row of a chat. `submission` checks the completion. Without it, the completion is the result as it is.
 */
export function chatPlan(
  start: RowStart<Completed>,
  submission?: ChatSubmission<unknown>,
  signal?: AbortSignal,
): RowPlan<Completed> {
  return {
    start,
    signal,
    isChargedOnce: false,
    verdictOf: ({ meta }) => verdictOf(meta),
    taskOf: () => undefined,
    toLine: (id, { completion }, cost) => ({ type: 'completed', id, completion, ...cost }),
    finish: async ({ completion: received, meta }) => {
      try {
        const checked = await (submission?.parse(received, meta) ?? received);
        const parsed = 'parsed' in checked ? { parsed: checked.parsed } : {};
        return { status: 'succeeded', completion: checked, ...parsed };
      } catch (thrown) {
        // It was paid for, and another one would not be the same.
        const error =
          thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
        return { status: 'failed', completion: received, error };
      }
    },
  };
}

/**
 * Plans a row of a batch. Nothing is written or sent.
 *
 * @throws `ConfigurationError` when the submission is invalid, or differs from one that may have been charged.
 * @throws `ConnectionError` when an earlier run may have been charged for the row and has no completion.
 */
export async function planChat(
  { id, history }: Row,
  submission: ChatSubmission<unknown>,
  { journal, resendUnknown, config }: RunContext,
  { runId, storeParams }: { runId: string; storeParams: boolean },
): Promise<RowPlan<Completed>> {
  const details = await submission.details();
  const { idempotencyKey, signal } = details;
  const request = await describeRequest(details, storeParams);
  const { hash } = request;
  // What has ended was charged, so the line of its completion is damaged.
  const isIncomplete = history.end !== undefined || journal.contents.isIncompleteFor(history);
  const isDamaged = !mayBeCharged(history) && isIncomplete;
  const life = isDamaged ? { open: 1 } : lifeOf(history);
  const step = nextChat(life, { fingerprint: hash, isForced: resendUnknown });
  if (step === 'chat_lost') throw isDamaged ? damagedJournalError(id) : lostChatError(id);
  if (step !== 'send') {
    const { completedAt } = history;
    if (step !== 'done' || completedAt === undefined) throw changedParamsError(id);
    return chatPlan(receivedEarlier(await journal.completionAt(completedAt)), submission, signal);
  }
  // Only a request that the service replays carries a derived key.
  const derived = config.retryAmbiguous.chat ? await rowKey(runId, id, hash) : undefined;
  const intent = { ...request, key: idempotencyKey ?? derived };
  return chatPlan({ submission: chatSubmission(submission, intent) }, submission, signal);
}

/** What a submission sends, as it is recorded. */
async function describeRequest(
  { path, body, fallback }: SubmissionDetails,
  storeParams: boolean,
): Promise<Omit<Intent, 'key'>> {
  const hash = await requestHash(path, body, fallback);
  if (!storeParams) return { path, hash };
  const params = unchecked<{ model: string }>(JSON.parse(body));
  return { path, hash, params, ...(fallback.length > 0 && { fallback }) };
}

/** The submission of a task, as a row sends it. */
export function taskSubmission<Kind extends TaskKind>(
  submission: Submission<Kind>,
  intent: Intent,
  recordedBy?: 'earlier-run',
): RowSubmission<Task<Kind>> {
  return {
    models: submission.models,
    estimateUsd: (prices) => submission.estimateUsd(prices),
    intent,
    recordedBy,
    send: (options, observer) =>
      submission.send(options, observer).catch((error: unknown) => {
        const task = namedTask(error);
        if (task) return unchecked<Task<Kind>>(task);
        throw error;
      }),
  };
}

/** The plan for the row of a task. */
export function taskPlan<Kind extends TaskKind>(
  start: RowStart<Task<Kind>>,
  { enter, waitOptions }: RunContext,
  signal?: AbortSignal,
): RowPlan<Task<Kind>> {
  return {
    start,
    signal,
    isChargedOnce: true,
    verdictOf: verdictOfTask,
    taskOf: (accepted) => accepted,
    toLine: (id, accepted, cost) => {
      if (!hasId(accepted)) return undefined;
      return { type: 'accepted', id, receipt: accepted.toJSON(), ...cost };
    },
    finish: async (accepted, rowSignal) => {
      const options = { ...waitOptions, signal: rowSignal };
      const generation = await enter(() => accepted.wait(options));
      return { status: 'succeeded', generation };
    },
  };
}

/**
 * Plans a row of a batch. Nothing is written or sent.
 *
 * @throws `ConfigurationError` when the submission is invalid, or differs from one that may have been charged.
 */
export async function planTask<Kind extends TaskKind>(
  row: Row,
  submission: Submission<Kind>,
  context: RunContext,
  { runId, storeParams }: { runId: string; storeParams: boolean },
): Promise<RowPlan<Task<Kind>>> {
  const { id, history } = row;
  const details = await submission.details();
  const { idempotencyKey, signal } = details;
  const request = await describeRequest(details, storeParams);
  const { hash } = request;
  const step = next(lifeOf(history), { fingerprint: hash }, 'key');
  if (step === 'resend') {
    const repeated = { ...request, key: row.idempotencyKey };
    const start = { submission: taskSubmission(submission, repeated, 'earlier-run') };
    return taskPlan(start, context, signal);
  }
  if (step !== 'send') {
    if (history.isContested) throw contestedRowError(id, row.idempotencyKey);
    // What has no receipt is the completion of a chat, which is another request.
    if (step !== 'wait' || !history.receipt) throw changedParamsError(id);
    return taskPlan({ accepted: submission.task(history.receipt) }, context, signal);
  }
  // A submission that was rejected keeps its key. With other params it is another request, and needs another key, unless a
  // damaged line may be that of a run that has sent these params under the old key at the same time. A derived key is the
  // same in every process that runs the batch with the same journal.
  const hasChanged =
    history.fingerprint !== undefined &&
    history.fingerprint !== hash &&
    !context.journal.contents.isIncompleteBefore(history);
  const key =
    idempotencyKey ??
    (hasChanged ? undefined : history.key) ??
    (await rowKey(runId, id, hasChanged ? hash : ''));
  const start = { submission: taskSubmission(submission, { ...request, key }) };
  return taskPlan(start, context, signal);
}
