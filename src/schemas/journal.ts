/**
 * Records the progress of a batch as lines of text, so that another process can continue it after a crash. `fileJournal`
 * of `polygate/journal` keeps the lines in a file; a database or a queue works as well.
 */
export interface Journal {
  /** Yields all lines, oldest first. */
  read(): AsyncIterable<string>;
  /**
   * Adds a line after all others. Must resolve only when the line would survive a crash, and reject when it may not: the
   * batch pays for a row only after its line has resolved.
   */
  append(line: string): Promise<void>;
  /**
   * Whether batches over this journal also store params, including prompts, unless their own `storeParams` is set.
   * @defaultValue false
   */
  readonly storeParams?: boolean | undefined;
}
