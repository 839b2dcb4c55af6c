/**
 * Drives the rows of a queue that stores them elsewhere, such as in Redis. Each step of a row is one call, which any
 * process can make.
 */
import type {
  ChatCompletion,
  ChatSubmission,
  KnownPrices,
  Polygate,
  Receipt,
  ResponseMeta,
  Submission,
  SucceededGeneration,
  Task,
  TaskKind,
} from 'polygate';

import { ConfigurationError } from '../../errors/base.ts';
import { parseRetryAfter, requestPrice } from '../../internal.ts';
import type { AttemptObserver } from '../../internal.ts';
import { unchecked } from '../../wire/types/schema.ts';

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
  const { path, body, idempotencyKey, fallback } = await submission.details();
  if (submission.hasFallbackOn) {
    throw new ConfigurationError(
      'fallbackOn: must be omitted, because a function cannot be stored for another process.',
    );
  }
  return {
    kind: submission.kind,
    path,
    params: unchecked<{ model: string }>(JSON.parse(body)),
    ...(fallback.length > 0 && { fallback }),
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

/** Submits a row. */
export async function submitStoredRow(
  gateway: Polygate,
  { kind, path, params, fallback }: RowRequest & { readonly kind: TaskKind },
  idempotencyKey: string,
  observer: AttemptObserver,
): Promise<TaskResponse> {
  const { images: image, videos: video, audio } = gateway;
  const submission = { image, video, audio }[kind].restore(path, params, fallback);
  const task = await submission.send({ idempotencyKey }, observer);
  const { meta } = task;
  return { task, meta, result: await resultOf(task, meta) };
}

/**
 * Sends the chat of a row. Like any chat, it is not sent again if it may have been charged. Its request carries no key, or,
 * with `retryAmbiguous.chat`, one for the retries of this call.
 */
export async function sendChat(
  gateway: Polygate,
  { params, fallback }: RowRequest,
  observer: AttemptObserver,
): Promise<{ readonly completion: ChatCompletion; readonly meta: ResponseMeta }> {
  const submission = gateway.chat.completions.restore(params, fallback);
  const { data, meta } = await submission.sendUnparsed({}, observer).withResponse();
  return { completion: data, meta };
}

/** Polls the task of a row once. */
export async function pollRow(gateway: Polygate, receipt: Receipt): Promise<TaskResponse> {
  const task = gateway.resume(receipt);
  // The queue repeats failed polls.
  const { meta } = await task.retrieve({ maxRetries: 0 }).withResponse();
  return { task, meta, result: await resultOf(task, meta) };
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
