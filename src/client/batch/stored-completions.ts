import { ConfigurationError } from '../../errors/base.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import { parseLine } from './journal-line.ts';

/**
 * The completions in a journal. All of them may be too large for the memory, so the journal is read a second time, as far
 * as the rows need it. Rows that come in the order of the journal leave nothing in memory.
 */
export class StoredCompletions {
  readonly #read: () => AsyncIterable<string>;
  /** Numbers of the lines that rows will need. */
  readonly #wanted: Set<number>;
  /** Lines that were passed before their rows needed them. */
  readonly #passed = new Map<number, string>();
  #lines: AsyncIterator<string> | undefined;
  #number = 0;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(read: () => AsyncIterable<string>, wanted: Iterable<number>) {
    this.#read = read;
    this.#wanted = new Set(wanted);
  }

  /** Returns the completion of a line. */
  async take(lineNumber: number): Promise<ChatCompletion> {
    const text = this.#previous.then(() => this.#find(lineNumber));
    this.#previous = text.catch(() => undefined);
    const line = parseLine((await text) ?? 'null');
    if (line.type === 'completed') return line.completion;
    throw new ConfigurationError(
      `journal: line ${lineNumber} has changed while the batch was running. Nothing was sent for its row.`,
    );
  }

  /** Ends the second reading. */
  async close(): Promise<void> {
    await this.#lines?.return?.();
  }

  async #find(lineNumber: number): Promise<string | undefined> {
    const passed = this.#passed.get(lineNumber);
    this.#passed.delete(lineNumber);
    this.#wanted.delete(lineNumber);
    if (passed !== undefined) return passed;
    this.#lines ??= this.#read()[Symbol.asyncIterator]();
    while (this.#number < lineNumber) {
      const line: IteratorResult<string, unknown> = await this.#lines.next();
      if (line.done) return undefined;
      this.#number += 1;
      if (this.#number === lineNumber) return line.value;
      if (this.#wanted.has(this.#number)) this.#passed.set(this.#number, line.value);
    }
    return undefined;
  }
}
