import type { Generation, Receipt, SucceededGeneration, TaskKind } from './task.ts';

/** Options for waiting for a task or material. */
export interface WaitOptions<Update = TaskUpdate> {
  /**
   * Initial delay between polls, in milliseconds.
   * @defaultValue 2,000; 3,000 for materials
   */
  pollInterval?: number | undefined;
  /**
   * Maximum delay between polls, in milliseconds. The delay grows from `pollInterval` up to this value.
   * @defaultValue 5,000
   */
  maxPollInterval?: number | undefined;
  /**
   * Maximum time to wait, in milliseconds. Processing continues after it expires.
   * @defaultValue 1,800,000
   */
  waitTimeout?: number | undefined;
  /** Aborts the wait immediately. Never cancels the task or material. */
  signal?: AbortSignal | undefined;
  /**
   * Headers for the polls, in addition to those of the call that created the task or material. `null` removes a header,
   * but never `authorization`.
   */
  headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /**
   * Your own id for the polls.
   * @defaultValue the `requestId` of the call that created the task or material
   */
  requestId?: string | undefined;
  /** Called after each poll. Errors that it throws are logged and do not interrupt the wait. */
  onUpdate?: ((update: Update) => void) | undefined;
}

/** State of a task after one poll. */
export type TaskUpdate<Kind extends TaskKind = TaskKind> = Generation<Kind> & {
  /** Set if this poll failed. The other fields then hold the last known state, and polling continues. */
  pollError?: Error | undefined;
};

/** Handle of a submitted task, as carried by errors, so that no paid task is lost. */
export interface TaskHandle<Kind extends TaskKind = TaskKind> {
  /** Task id. */
  readonly id: string;
  /** Kind of media that the task generates. */
  readonly kind: Kind;
  /** Id of the model that generates it, if known. */
  readonly model?: string | undefined;
  /** Idempotency key of the submit request. Absent if only the id is known. */
  readonly idempotencyKey?: string | undefined;
  /** Last known state of the task. Absent before the first poll of a resumed task. */
  readonly latest?: Generation<Kind> | undefined;
  /** Waits until the task has succeeded. Rejects if it fails, or if the wait times out or is aborted. */
  wait(options?: WaitOptions<TaskUpdate<Kind>>): Promise<SucceededGeneration<Kind>>;
  /** Yields an update after each poll, up to and including the terminal one. */
  updates(
    options?: Omit<WaitOptions<TaskUpdate<Kind>>, 'onUpdate'>,
  ): AsyncGenerator<TaskUpdate<Kind>, void, undefined>;
  /** Polls the task once. */
  retrieve(
    options?: Pick<WaitOptions, 'signal' | 'headers' | 'requestId'>,
  ): Promise<Generation<Kind>>;
  /** Returns the receipt: plain JSON to resume the task from any process at any later time. */
  toJSON(): Receipt<Kind>;
}

/** A row without a result when its batch or recovery was aborted, as carried by `AbortedError.rows`. */
export interface OpenRow {
  /** Id of the row. */
  readonly id: string;
  /** Key of the row's submit, if it has one: a submit of the same params with this key is never charged twice. */
  readonly idempotencyKey?: string | undefined;
  /** Task of the row, once its submission was accepted: `task.wait()` waits for its result. */
  readonly task?: TaskHandle | undefined;
  /**
   * Whether the row may have been charged: `unknown` if so, otherwise `not-sent`. Requests that the callback of the row
   * sends itself do not count.
   */
  readonly outcome: 'unknown' | 'not-sent';
}

/**
 * Records the progress of a batch as lines of text, so that another process can continue it after a crash.
 * `fileJournal` of `polygate/journal` keeps the lines in a file; a database or a queue works as well.
 */
export interface Journal {
  /** Yields all lines, oldest first. */
  read(): AsyncIterable<string>;
  /**
   * Appends a line. Must resolve only once the line would survive a crash, and reject if it might not survive: the
   * batch submits a row only after `append` has resolved.
   */
  append(line: string): Promise<void>;
  /**
   * Keeps other processes from using the journal, until the returned function is called or the process dies. Rejects if
   * another batch uses it, even in the same process. Batches of chats need it: a journal without it is refused for
   * them, because two processes that send the same chat are both charged. Tasks are protected by their keys. With `maxUsd`, a journal
   * without it logs a warning, because batches at the same time can exceed the limit together.
   */
  lock?(): Promise<() => Promise<void>>;
  /**
   * Whether batches with this journal store params, including prompts, unless their own `storeParams` is set.
   * @defaultValue false
   */
  readonly storeParams?: boolean | undefined;
}
