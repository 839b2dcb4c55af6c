import type { ChatCompletion, Generation, Receipt } from 'polygate';

import type { RowRequest } from './row-driver.ts';
import type { RowError, RowStatus } from './row.ts';

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
