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
   * Whether batches with this journal also store params, including prompts, unless their own `storeParams` is set.
   * @defaultValue false
   */
  readonly storeParams?: boolean | undefined;
}
