import { ConfigurationError } from '../errors/configuration.ts';
import type { Journal } from '../schemas/journal.ts';
import type { Receipt } from '../schemas/task.ts';
import { readLine } from './journal-line.ts';
import type { Intent, JournalLine } from './journal-line.ts';
import type { Log } from './log.ts';
import { newKey } from './request.ts';

/** What a journal tells of a row. */
export interface Journaled {
  readonly intent?: Intent | undefined;
  /** The task, once it was accepted. */
  readonly receipt?: Receipt | undefined;
  /** The service said no, or was never asked: nothing was charged. */
  readonly refused?: boolean | undefined;
  /** The task is over. */
  readonly finished?: boolean | undefined;
}

/** A journal as a batch sees it: what earlier processes left there, by row, and a pen. */
export class BatchJournal {
  /** The rows that earlier processes began. */
  readonly rows = new Map<string, Journaled>();
  /** The lines that cannot be read, and why. */
  readonly damaged: ConfigurationError[] = [];
  readonly #journal: Journal | undefined;
  readonly #log: Log;
  #run: string | undefined;

  constructor(journal: Journal | undefined, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Reads every line. Nothing is written. */
  async read(): Promise<void> {
    this.rows.clear();
    this.damaged.length = 0;
    let number = 0;
    for await (const text of this.#journal?.read() ?? []) {
      number += 1;
      const line = text === '' ? undefined : readLine(text, number);
      if (line instanceof ConfigurationError) this.damaged.push(line);
      else if (line !== undefined) this.#take(line);
    }
  }

  /**
   * The run that all keys are derived from; the first one begins it.
   *
   * @throws {@link ConfigurationError} when the journal holds lines but not its run: their rows would be paid again.
   */
  async run(): Promise<string> {
    await this.read();
    if (this.#run !== undefined) return this.#run;
    const [first] = this.damaged;
    // A single torn line is a first process that died before it sent anything.
    if (this.damaged.length > 1 || this.rows.size > 0) {
      throw first ?? new ConfigurationError('journal: the line that begins the run is missing.');
    }
    const run = newKey();
    await this.write({ v: 1, type: 'run', run });
    // Another process may have been faster: the first line of its kind counts for both.
    await this.read();
    return this.#run ?? run;
  }

  /** Adds a line, and waits until it will survive a crash. */
  async write(line: JournalLine): Promise<void> {
    await this.#journal?.append(JSON.stringify(line));
  }

  /** Adds a line whose loss does no harm: the row is then asked again with its key. */
  async note(line: JournalLine): Promise<void> {
    await this.write(line).catch((error: unknown) => {
      this.#log.error(() => `journal: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  #take(line: JournalLine): void {
    if (line.type === 'run') {
      this.#run ??= line.run;
      return;
    }
    const before = this.rows.get(line.id);
    this.rows.set(line.id, { ...before, ...changeOf(line) });
  }
}

function changeOf(line: Exclude<JournalLine, { type: 'run' }>): Journaled {
  switch (line.type) {
    case 'submit':
      return { intent: line, refused: false };
    case 'accepted':
      return { receipt: line.receipt };
    case 'refused':
      return { refused: true };
    case 'finished':
      return { finished: true };
  }
}
