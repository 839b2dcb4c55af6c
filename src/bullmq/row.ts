import type { ChatCompletion, Generation, Outcome, Receipt, SucceededGeneration } from 'polygate';

import { PolygateError } from '../errors/base.ts';
import type { RowKind, RowRequest } from '../internal/row-driver.ts';
import { isRecord, textOf } from '../types/type-guards.ts';

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
  /** Error code of the service. */
  readonly code?: string | undefined;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** Whether the submission may have been charged. */
  readonly outcome?: Outcome | undefined;
  /** Id of the task, if there is one. */
  readonly taskId?: string | undefined;
  /** Idempotency key of the submission. */
  readonly idempotencyKey?: string | undefined;
}

/** A row of a queue as it is now. */
export interface Row<Kind extends RowKind = RowKind> {
  /** The id that the row was added with. */
  readonly id: string;
  /** What is generated, or `chat`. */
  readonly kind: Kind;
  /**
   * Where the row is. `unknown`: its task may still be processing when `waitTimeout` ended the wait; or it is a chat
   * that may have been charged, because its worker died or its response was lost. Such a chat is sent again only by
   * `retry`.
   */
  readonly status: RowStatus;
  /** Idempotency key of the submission. */
  readonly idempotencyKey: string;
  /** The task, once the submission was accepted: `gateway.resume(receipt)` returns its handle. */
  readonly receipt?: Receipt<Exclude<Kind, 'chat'>> | undefined;
  /** The finished generation of a task that has succeeded. */
  readonly generation?: SucceededGeneration<Exclude<Kind, 'chat'>> | undefined;
  /** The completion of a chat that has succeeded. */
  readonly completion?: ChatCompletion | undefined;
  /** Why the row has failed, or why its status is unknown. */
  readonly error?: RowError | undefined;
}

/** A row that has ended. */
export type EndedRow<Kind extends RowKind = RowKind> = Row<Kind> & { readonly status: EndStatus };

/** What a job contains. It never changes. */
export interface RowData extends RowRequest {
  /** The id that the row was added with. The id of its job is an encoded form of it. */
  readonly id: string;
  /** Fingerprint of path, params and fallback. */
  readonly hash: string;
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

export function isEnded(status: string): status is EndStatus {
  return status === 'succeeded' || status === 'failed' || status === 'unknown';
}

/** An error as plain JSON. */
export function errorRecord(error: unknown, idempotencyKey: string): RowError {
  if (!PolygateError.is(error)) {
    const [name, message] =
      error instanceof Error ? [error.name, error.message] : ['Error', String(error)];
    return { name, message, idempotencyKey };
  }
  const { name, message, outcome, task } = error;
  const { code, status }: Record<string, unknown> = isRecord(error) ? error : {};
  return {
    name,
    message,
    code: textOf(code),
    status: typeof status === 'number' ? status : undefined,
    outcome,
    taskId: task?.id,
    idempotencyKey: error.idempotencyKey ?? idempotencyKey,
  };
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
