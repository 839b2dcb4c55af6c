import type {
  ChatCompletion,
  ErrorReason,
  Outcome,
  Receipt,
  SucceededGeneration,
  Generation,
} from 'polygate';

import { PolygateError } from '../../errors/base.ts';
import { APIError } from '../../errors/responses.ts';
import { canSucceedLater, slotRejectionOf } from '../../internal.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';
import type { RowKind, RowRequest } from './row-driver.ts';

/** Where a row is: `waiting` until it is submitted, `running` while its task is, and then how it has ended. */
export type RowStatus = 'waiting' | 'submitting' | 'running' | EndStatus;

/** How a row has ended. */
export type EndStatus = 'succeeded' | 'failed' | 'unknown';

/** The error of a row, as plain JSON. */
export interface RowError {
  /** Class of the error, such as `TaskFailedError`. */
  readonly name: string;
  /** What happened, whether money may have been spent, and what to do next. */
  readonly message: string;
  /** Why it happened; undefined if 0.3 has stored the row, or if it is no error of polygate. */
  readonly reason?: ErrorReason | undefined;
  /** Error code of the service. */
  readonly code?: string | undefined;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** Whether the submission may have been charged. Undefined if only polls have failed: their task was accepted. */
  readonly outcome?: Outcome | undefined;
  /** Id of the task, if there is one. */
  readonly taskId?: string | undefined;
  /** Idempotency key of the submission; of a chat, the key that the request carried, if any. */
  readonly idempotencyKey?: string | undefined;
}

/** A row of a queue as it is now. */
export interface Row<Kind extends RowKind = RowKind> {
  /** The id that the row was added with. */
  readonly id: string;
  /** What is generated, or `chat`. */
  readonly kind: Kind;
  /**
   * Where the row is. `unknown`: it may have been charged, and has no result, for one of these reasons:
   *
   * - Its task may still be processing: `waitTimeout` has ended the wait.
   * - Its task has succeeded without a result that can be read, or its id cannot be polled.
   * - A submission may have been charged, and the attempts are used up, or another one cannot succeed.
   * - It is a chat whose worker died, or whose response was lost or cannot be read. It is sent again only by `retry`.
   */
  readonly status: RowStatus;
  /** Idempotency key of the submission. A chat has none. */
  readonly idempotencyKey?: string | undefined;
  /** The task, once the submission was accepted: `gateway.resume(receipt)` returns its handle. */
  readonly receipt?: Receipt<Exclude<Kind, 'chat'>> | undefined;
  /** The finished generation of a task that has succeeded. */
  readonly generation?: SucceededGeneration<Exclude<Kind, 'chat'>> | undefined;
  /** The completion of a chat that has succeeded. */
  readonly completion?: ChatCompletion | undefined;
  /**
   * Why the row has failed, or why its status is unknown; before its end, why the last submission or poll has failed.
   */
  readonly error?: RowError | undefined;
}

/** A row that has ended. */
export type EndedRow<Kind extends RowKind = RowKind> = Row<Kind> & { readonly status: EndStatus };

export function isEnded(status: string): status is EndStatus {
  return status === 'succeeded' || status === 'failed' || status === 'unknown';
}

/** An error as plain JSON. `idempotencyKey` is the key of the row; a chat has none. */
export function errorRecord(error: unknown, idempotencyKey: string | undefined): RowError {
  if (!PolygateError.is(error)) {
    const [name, message] =
      error instanceof Error ? [error.name, error.message] : ['Error', String(error)];
    return omitUndefined({ name, message, idempotencyKey });
  }
  const { name, message, reason, outcome, task } = error;
  const { code, status }: Record<string, unknown> = isRecord(error) ? error : {};
  return omitUndefined({
    name,
    message,
    reason,
    code: textOf(code),
    status: typeof status === 'number' ? status : undefined,
    outcome,
    taskId: task?.id,
    idempotencyKey: error.idempotencyKey ?? idempotencyKey,
  });
}

/** Whether there is no valid API key: the service rejects it, or the function that returns it fails. */
export const lacksKey = (error: unknown): boolean =>
  PolygateError.is(error) && error.reason === 'api-key';

/** Whether the service has rejected the request for good, so that there is no point in repeating it. */
export const isRejected = (error: unknown): boolean =>
  APIError.is(error) && !canSucceedLater(error);

/** The delay that the service has requested, in ms. */
export function retryAfterOf(error: unknown): number | undefined {
  const response = slotRejectionOf(error) ?? error;
  return APIError.is(response) ? response.retryAfterMs : undefined;
}

/** The limit that a response reports; a hint if a submission reports none. */
export function reportedLimit(error: unknown): number | 'less' | undefined {
  const slotRejection = slotRejectionOf(error);
  const response = slotRejection ?? error;
  const limit = APIError.is(response) ? response.meta.concurrency.limit : undefined;
  return limit ?? (slotRejection && 'less');
}

/** What a job contains. It never changes. */
export interface RowData extends RowRequest {
  /** The id that the row was added with. The id of its job is an encoded form of it. */
  readonly id: string;
  /** Fingerprint of path, params and fallback. */
  readonly hash: string;
  /** The idempotency key. The requests of a chat do not carry it: it only identifies what was charged. */
  readonly key: string;
}

/** What has happened to a row. Every step replaces it. */
export interface RowState {
  /** The key that replaces the original one after a retry with a new key. */
  readonly key?: string | undefined;
  /** Number of submissions that have failed. */
  readonly failures?: number | undefined;
  /** Whether a submission under the key has failed with an unknown outcome. */
  readonly mayBeCharged?: boolean | undefined;
  /** The largest charge in USD that failed submissions under the key have reported, which counts. */
  readonly countedUsd?: number | undefined;
  /** Whether its key was charged again, and nothing since: what is reserved is for the next submission alone. */
  readonly reservesAnew?: boolean | undefined;
  readonly receipt?: Receipt | undefined;
  /** When the wait ends, on the clock of Redis, in ms. */
  readonly deadline?: number | undefined;
  /** The delay before the next poll in ms. */
  readonly interval?: number | undefined;
  readonly progress?: number | undefined;
  readonly generation?: Generation | undefined;
  readonly completion?: ChatCompletion | undefined;
  readonly error?: RowError | undefined;
}

/** A row as Redis stores it. */
export type StoredRow = RunningRow | OtherRow;

/** A row whose task was accepted and has not ended. */
export interface RunningRow extends RowVersion {
  readonly status: 'running';
  readonly state: RowState & { readonly receipt: Receipt };
}

/** A row that is not running. */
interface OtherRow extends RowVersion {
  readonly status: Exclude<RowStatus, 'running'>;
  readonly state: RowState;
}

/** A row as its reader has seen it. It is changed only if it still has this turn. */
export interface RowVersion {
  readonly jobId: string;
  readonly data: RowData;
  /** The idempotency key in use. */
  readonly key: string;
  /** Fencing token of the latest admission or retry, `0` before the first one: only its holder may move the row. */
  readonly turn: string;
  /** When the row was added: differs after it was removed and added again. */
  readonly addedAt: string;
}

/**
 * The id of a job. BullMQ rejects ids that are integers, and most with a colon. Half of a surrogate pair, which has no
 * UTF-8 form, is written as its code unit.
 */
export function jobIdOf(id: string): string {
  const encode = (text: string) =>
    /^[\uD800-\uDFFF]$/.test(text)
      ? `%u${text.charCodeAt(0).toString(16)}`
      : encodeURIComponent(text);
  return `row-${id.replace(/[^\w.~-]/gu, encode)}`;
}
