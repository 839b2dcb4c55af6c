import { ConfigurationError } from '../../errors/configuration.ts';
import type { Journal } from '../../schemas/journal.ts';
import type { Receipt } from '../../schemas/task.ts';
import { parseLine } from './journal-line.ts';
import type { Intent, JournalLine } from './journal-line.ts';
import type { Log } from '../config/log.ts';
import { newIdempotencyKey } from '../call/idempotency-key.ts';
import { checkValue, objectWithMethods } from '../config/validation.ts';

/** What a journal tells of a row. */
export interface Journaled extends Partial<Intent> {
  /** The task, once it was accepted. */
  readonly receipt?: Receipt | undefined;
  /** How the task ended, once that was delivered. */
  readonly status?: string | undefined;
  /** Submits that were begun, and not refused. */
  readonly begun: number;
}

/** How the line that begins a run begins. */
const opening = '{"v":1,"type":"run"';

/** A journal as a batch sees it: what earlier processes left there, by row, and a pen. */
export class BatchJournal {
  /** The rows that earlier processes began. */
  readonly rows = new Map<string, Journaled>();
  /** The lines that cannot be read, and why. */
  readonly damaged: ConfigurationError[] = [];
  readonly #journal: Journal | undefined;
  readonly #log: Log;
  #run: string | undefined;
  #isEmpty = true;

  constructor(journal: Journal | undefined, log: Log) {
    checkValue('journal', journal, [
      objectWithMethods('read', 'append')[0],
      'a journal, such as fileJournal(path)',
    ]);
    this.#journal = journal;
    this.#log = log;
  }

  /** Reads every line. Nothing is written. */
  async read(): Promise<void> {
    this.damaged.length = 0;
    let number = 0;
    for await (const text of this.#journal?.read() ?? []) {
      number += 1;
      if (text.trim() === '') continue;
      const line = parseLine(text, number);
      // A torn opening is a process that died before it sent anything.
      this.#isEmpty &&= opening.startsWith(text.slice(0, opening.length));
      if (line instanceof ConfigurationError) this.damaged.push(line);
      else if (line.type === 'run') this.#run ??= line.run;
      else this.#take(line);
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
    if (!this.#isEmpty) {
      const why = this.damaged[0]?.message ?? 'It has no such line.';
      throw new ConfigurationError(`journal: its run cannot be read. Nothing was sent. ${why}`);
    }
    const run = newIdempotencyKey();
    await this.write({ v: 1, type: 'run', run });
    // Another process may have been faster: the first line of its kind counts for both.
    await this.read();
    return this.#run ?? run;
  }

  /** What is known of a row, and whether it may have been charged; it is forgotten here, to keep memory flat. */
  take(id: string): Partial<Journaled> & { open: boolean } {
    const found = this.rows.get(id);
    this.rows.delete(id);
    return { ...found, open: found !== undefined && isOpen(found) };
  }

  /** Adds a line, and waits until it will survive a crash. */
  async write(line: JournalLine): Promise<void> {
    await this.#journal?.append(JSON.stringify(line));
  }

  /** Adds a line whose loss does no harm: the row is then asked again with its key. */
  async note(line: JournalLine): Promise<void> {
    await this.write(line).catch((error: unknown) => {
      this.#log.error(() => `journal: ${String(error)}`);
    });
  }

  #take(line: Exclude<JournalLine, { type: 'run' }>): void {
    const { type, id, ...told } = line;
    const before = this.rows.get(id) ?? { begun: 0 };
    const change = type === 'submit' ? 1 : type === 'refused' ? -1 : 0;
    // Params, which may be long, are needed only until it is known what came of them.
    this.rows.set(id, { ...before, params: undefined, ...told, begun: before.begun + change });
  }
}

/** Whether a row may have been charged. Each process takes back its own submit alone. */
export function isOpen({ begun, receipt }: Journaled): boolean {
  return begun > 0 || receipt !== undefined;
}
