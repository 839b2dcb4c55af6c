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
   * them, because two processes that send the same chat are both charged. Tasks are protected by their keys.
   */
  lock?(): Promise<() => Promise<void>>;
  /**
   * Whether batches with this journal store params, including prompts, unless their own `storeParams` is set.
   * @defaultValue false
   */
  readonly storeParams?: boolean | undefined;
}
