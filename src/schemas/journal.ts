/**
 * Append-only log of a batch, as lines of text. It lets another process continue the batch after a crash. `fileJournal`
 * from `polygate/journal` stores the lines in a file; you can implement this interface with a database or a queue.
 */
export interface Journal {
  /** Yields all lines, oldest first. */
  read(): AsyncIterable<string>;
  /** Appends a line. Resolves once the line is durable; rejects if it may be lost. */
  append(line: string): Promise<void>;
  /**
   * Whether to store the params of each row, including prompts. Used as the default for the `storeParams` option of
   * `gateway.batch`.
   * @defaultValue false
   */
  readonly storeParams?: boolean | undefined;
}
