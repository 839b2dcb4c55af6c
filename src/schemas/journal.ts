/**
 * Where a batch writes down what it is about to do, so that another process can go on after a crash: plain lines of
 * text. `fileJournal` of `polygate/journal` keeps them in a file; a database or a queue serves as well.
 */
export interface Journal {
  /** Every line so far, oldest first. */
  read(): AsyncIterable<string>;
  /** Adds a line. Resolves once the line will survive a crash; rejects when it may not. */
  append(line: string): Promise<void>;
  /**
   * Whether params, prompts among them, are written down too, for batches that do not say.
   * @defaultValue false
   */
  readonly storeParams?: boolean | undefined;
}
