import { ConfigurationError } from '../../errors/configuration.ts';
import type { Journal } from '../../schemas/journal.ts';
import type { Receipt } from '../../schemas/task.ts';
import { newIdempotencyKey } from '../call/idempotency-key.ts';
import type { Log } from '../config/log.ts';
import { checkValue, objectWithMethods } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { parseLine } from './journal-line.ts';
import type { Intent, JournalLine } from './journal-line.ts';

/** What earlier processes recorded about a row. Its {@link Intent} is that of the latest submission. */
export interface RowHistory extends Partial<Intent> {
  /** Number of recorded submissions without a matching `refused` line. Each process refuses only its own. */
  readonly unresolvedSubmits: number;
  /** Receipt of the task, once a submission was accepted. */
  readonly receipt?: Receipt | undefined;
  /** How the task ended, once the caller took the result. */
  readonly status?: string | undefined;
}

/** The history of a row that no earlier process recorded. */
export const noHistory: RowHistory = { unresolvedSubmits: 0 };

/** Whether an earlier process may have paid for the row. If so, it must never be submitted under another key. */
export function mayBeCharged({ unresolvedSubmits, receipt }: RowHistory): boolean {
  return unresolvedSubmits > 0 || receipt !== undefined;
}

/** How a `run` line starts, up to its id. */
const runLineStart = '{"v":1,"type":"run"';

export const journalRule: Rule = [
  objectWithMethods('read', 'append')[0],
  'a journal, such as fileJournal(path)',
];

/** Reads and appends the journal of a batch. Without a `Journal`, it is always empty and appending does nothing. */
export class BatchJournal {
  /** Rows that earlier processes recorded, by id. */
  readonly rows = new Map<string, RowHistory>();
  /** One error for each damaged line. */
  readonly damaged: ConfigurationError[] = [];
  readonly #journal: Journal | undefined;
  readonly #log: Log;
  #runId: string | undefined;
  /** Whether the journal holds nothing but blank lines and `run` lines, complete or torn. */
  #isEmpty = true;

  constructor(journal: Journal | undefined, log: Log) {
    checkValue('journal', journal, journalRule);
    this.#journal = journal;
    this.#log = log;
  }

  /** Reads all lines into `rows` and `damaged`. */
  async read(): Promise<void> {
    this.damaged.length = 0;
    let number = 0;
    for await (const text of this.#journal?.read() ?? []) {
      number += 1;
      if (text.trim() === '') continue;
      const line = parseLine(text, number);
      // A torn `run` line counts as empty: it is written before the first submit, so nothing was sent.
      this.#isEmpty &&= runLineStart.startsWith(text.slice(0, runLineStart.length));
      if (line instanceof ConfigurationError) this.damaged.push(line);
      else if (line.type === 'run') this.#runId ??= line.run;
      else this.#apply(line);
    }
  }

  /**
   * Reads the journal and returns the id of its run, from which all keys are derived. Starts the run if the journal is
   * empty.
   *
   * @throws {@link ConfigurationError} when the journal has lines but no readable `run` line. A new run would derive
   * new keys, and rows that were already paid for would be paid for again.
   */
  async openRun(): Promise<string> {
    await this.read();
    if (this.#runId !== undefined) return this.#runId;
    if (!this.#isEmpty) {
      const [damage] = this.damaged;
      const firstDamage = damage ? ` First damage: ${damage.message}` : '';
      throw new ConfigurationError(
        `journal: its run line, from which all keys are derived, is missing or damaged. Nothing was sent.${firstDamage}`,
      );
    }
    const runId = newIdempotencyKey();
    await this.append({ v: 1, type: 'run', run: runId });
    // Another process may have started a run at the same time. The first line wins in both processes.
    await this.read();
    return this.#runId ?? runId;
  }

  /** Removes and returns the history of a row. Each row needs it only once, so its memory can be freed. */
  take(id: string): RowHistory {
    const history = this.rows.get(id) ?? noHistory;
    this.rows.delete(id);
    return history;
  }

  /** Appends a line and waits until it is durable. */
  async append(line: JournalLine): Promise<void> {
    await this.#journal?.append(JSON.stringify(line));
  }

  /** Appends a line without requiring it. A lost line never leads to a second charge: at worst the row is resent with
   * the same key, or changed params are rejected. */
  async tryAppend(line: JournalLine): Promise<void> {
    await this.append(line).catch((error: unknown) => {
      this.#log.error(
        () =>
          `journal: a line could not be written (${String(error)}), so its row may be resent with the same key.`,
      );
    });
  }

  #apply({ type, id, ...fields }: Exclude<JournalLine, { type: 'run' }>): void {
    const history = this.rows.get(id) ?? noHistory;
    const change = type === 'submit' ? 1 : type === 'refused' ? -1 : 0;
    const unresolvedSubmits = history.unresolvedSubmits + change;
    // Params can be large, and only a submission without any later line is ever resent from them.
    this.rows.set(id, { ...history, params: undefined, ...fields, unresolvedSubmits });
  }
}
