/**
 * Drives the rows of a queue that stores them elsewhere, such as in Redis. Each step of a row is one call, which any
 * process can make.
 */
import type { Polygate } from '../client.ts';
import type { ChatSubmission } from '../client/chat/chat-submission.ts';
import { parseRetryAfter } from '../client/http/retry-after.ts';
import type { KnownPrices } from '../client/limits/estimate.ts';
import { requestPrice } from '../client/limits/request-price.ts';
import type { Submission } from '../client/tasks/submit/submission.ts';
import type { Task } from '../client/tasks/task.ts';
import { ConfigurationError } from '../errors/base.ts';
import type { TaskNamespace } from '../resources/task-namespace.ts';
import type { ChatCompletion } from '../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../wire/types/meta.ts';
import type { Receipt, SucceededGeneration, TaskKind } from '../wire/types/tasks/task.ts';

export { failedRow, isFinalError, slotRejectionOf } from '../client/batch/row/charge-rules.ts';
export { rowKey } from '../client/batch/row/row-key.ts';
export { canSucceedLater } from '../client/call/failure/retry.ts';
export { isKeyMissing } from '../client/http/request-headers.ts';
export { requestHash } from '../client/tasks/fingerprint.ts';
export { nextPollDelay, taskPollInterval } from '../client/tasks/wait/poll-delay.ts';
export { isInvalidRecord } from '../client/tasks/wait/poll-failures.ts';

/** What a row is: the kind of its task, or a chat, which the service may charge each time it is sent. */
export type RowKind = TaskKind | 'chat';

/** What a row submits, as plain JSON. */
export interface RowRequest {
  readonly kind: RowKind;
  readonly path: string;
  readonly params: { readonly model: string };
  /** The other models that may be used, if there are any. */
  readonly fallback?: readonly string[] | undefined;
}

/** The state of a task: its result, its error, or neither while it is processing. */
export interface TaskResult {
  readonly generation?: SucceededGeneration | undefined;
  readonly error?: unknown;
  /** Progress in percent. */
  readonly progress?: number | undefined;
  /** The delay before the next poll that the service has requested, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** A call that has returned the task of a row. */
export interface TaskResponse {
  readonly task: Task;
  /** Metadata of the response. */
  readonly meta: ResponseMeta;
  readonly result: TaskResult;
}

/**
 * What a submission sends, and the caller's own idempotency key. That of a chat is left out, because no request of a row
 * carries it: see {@link sendChat}.
 *
 * @throws `ConfigurationError` if it is invalid.
 */
export async function describeRow(
  submission: Submission | ChatSubmission<unknown>,
): Promise<RowRequest & { readonly idempotencyKey: string | undefined }> {
  const { path, idempotencyKey, params, fallback } = await submission.details(true);
  if (!params) throw new ConfigurationError('submission: has no params.');
  if (submission.hasFallbackOn) {
    throw new ConfigurationError(
      'fallbackOn: must be omitted, because a function cannot be stored for another process.',
    );
  }
  return {
    kind: submission.kind,
    path,
    params,
    ...(fallback?.length && { fallback }),
    idempotencyKey: submission.kind === 'chat' ? undefined : idempotencyKey,
  };
}

/** Estimates what the task of a row costs in USD; undefined if the price is not known. That of a chat is known only afterwards. */
export function estimateUsd(
  { kind, params }: RowRequest & { readonly kind: TaskKind },
  prices: KnownPrices,
): number | undefined {
  return requestPrice[kind](params)(prices);
}

/** Submits a row. `isRepeated`: before the response, an attempt was made that may have been charged. */
export async function submitStoredRow(
  gateway: Polygate,
  { kind, path, params, fallback }: RowRequest & { readonly kind: TaskKind },
  idempotencyKey: string,
): Promise<TaskResponse & { readonly isRepeated: boolean }> {
  let isRepeated = false;
  const submission = namespaceOf(gateway, kind).restore(path, params, fallback);
  const task = await submission.send(
    { idempotencyKey },
    { onRetry: (outcome) => (isRepeated ||= outcome === 'unknown') },
  );
  const { meta } = task;
  return { task, meta, result: await resultOf(task, meta), isRepeated };
}

/**
 * Sends the chat of a row. Like any chat, it is not sent again if it may have been charged. Its request carries no key, or,
 * with `retryAmbiguous.chat`, one for the retries of this call.
 */
export async function sendChat(
  gateway: Polygate,
  { params, fallback }: RowRequest,
): Promise<{ readonly completion: ChatCompletion; readonly meta: ResponseMeta }> {
  const submission = gateway.chat.completions.restore(params, fallback);
  const { data, meta } = await submission.send().withResponse();
  return { completion: data, meta };
}

/** Polls the task of a row once. */
export async function pollRow(gateway: Polygate, receipt: Receipt): Promise<TaskResponse> {
  const task = namespaceOf(gateway, receipt.kind).task(receipt);
  // The queue repeats failed polls.
  const { meta } = await task.retrieve({ maxRetries: 0 }).withResponse();
  return { task, meta, result: await resultOf(task, meta) };
}

/** The options of the client that determine the delays of a queue. */
export type DelayOptions = Polygate['delayOptions'];

export const logOf = ({ log }: Polygate): Polygate['log'] => log;

export const delayOptionsOf = ({ delayOptions }: Polygate): DelayOptions => delayOptions;

function namespaceOf(gateway: Polygate, kind: TaskKind): TaskNamespace<TaskKind> {
  return { image: gateway.images, video: gateway.videos, audio: gateway.audio }[kind];
}

/** What the last response said about a task. */
async function resultOf(task: Task, { headers }: ResponseMeta): Promise<TaskResult> {
  const { latest } = task;
  if (latest?.status !== 'succeeded' && latest?.status !== 'failed') {
    return { progress: latest?.progress, retryAfterMs: parseRetryAfter(headers, Date.now()) };
  }
  try {
    // Sends nothing, because the task has ended.
    return { generation: await task.wait() };
  } catch (error) {
    return { error };
  }
}
