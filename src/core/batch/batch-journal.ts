import { ConfigurationError } from '../../errors/configuration.ts';
import type { Journal } from '../../types/tasks/journal.ts';
import type { Receipt } from '../../types/tasks/task.ts';
import { newIdempotencyKey } from '../call/request-options.ts';
import type { Log } from '../config/log.ts';
import { objectWithMethods } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { parseLine } from './journal-line.ts';
import type { Intent, JournalLine } from './journal-line.ts';

/** What earlier processes recorded about a row. Its {@link Intent} is that of the latest submission. */
export interface RowHistory extends Partial<Intent> {
  /** Number of recorded submissions without a matching `refused` line. Each process refuses only its own. */
  readonly openSubmits?: number;
  /** Receipt of the task, once a submission was accepted. */
  readonly receipt?: Receipt | undefined;
  /** How the task ended, once the caller took the result. */
  readonly status?: string | undefined;
}

/** Whether an earlier process may have paid for the row. If so, it must never be submitted under another key. */
export function mayBeCharged({ openSubmits = 0, receipt }: RowHistory): boolean {
  return openSubmits > 0 || receipt !== undefined;
}

/** How a `run` line starts, up to its id. */
const runLineStart = '{"v":1,"type":"run"';

/**
 * Whether a line is a `run` line, complete or torn: it is written before the first submit, so nothing was sent. A second
 * brace begins another line, whose line end was lost or is not a line feed.
 */
function isRunLine(text: string): boolean {
  return runLineStart.startsWith(text.slice(0, runLineStart.length)) && text.lastIndexOf('{') <= 0;
}

export const journalRule: Rule = objectWithMethods('read', 'append');

/** Reads and appends the journal of a batch. Without a `Journal`, it is always empty and appending does nothing. */
export class BatchJournal {
  /** Rows that earlier processes recorded, by id. */
  readonly rows = new Map<string, RowHistory>();
  /** One error for each damaged line. */
  readonly damaged: ConfigurationError[] = [];
  readonly #journal: Journal | undefined;
  readonly #log: Log;
  #runId: string | undefined;

  constructor(journal: Journal | undefined, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /**
   * Reads all lines into `rows` and `damaged`. Returns whether there are no lines but blank lines and `run` lines,
   * complete or torn.
   */
  async read(): Promise<boolean> {
    this.damaged.length = 0;
    let isEmpty = true;
    let number = 0;
    for await (const text of this.#journal?.read() ?? []) {
      number += 1;
      if (!text.trim()) continue;
      isEmpty &&= isRunLine(text);
      try {
        const line = parseLine(text);
        if (line.type === 'run') this.#runId ??= line.run;
        else this.#apply(line);
      } catch (error) {
        // The message of JSON.parse quotes the line, which may contain a prompt.
        const reason = ConfigurationError.is(error) ? error.message : 'It is not JSON.';
        const message = `journal: line ${number} is damaged and was ignored. ${reason}`;
        // The other lines stay usable.
        this.damaged.push(new ConfigurationError(message));
      }
    }
    return isEmpty;
  }

  /**
   * Reads the journal and returns the id of its run, from which all keys are derived. Starts the run if the journal is
   * empty.
   *
   * @throws {@link ConfigurationError} when the journal has lines but no readable `run` line. A new run would derive
   * new keys, and rows that were already paid for would be paid for again.
   */
  async openRun(): Promise<string> {
    const isEmpty = await this.read();
    if (this.#runId !== undefined) return this.#runId;
    if (!isEmpty) {
      throw new ConfigurationError(
        'journal: its first line, from which the keys of all rows are derived, is missing or damaged. Nothing was sent. ' +
          'Restore it from a backup: a new journal would pay for the rows of this one again.',
        { cause: this.damaged[0] },
      );
    }
    const run = newIdempotencyKey();
    await this.append({ type: 'run', run });
    // Another process may have started a run at the same time. The first line wins in both processes.
    await this.read();
    return this.#runId ?? run;
  }

  /** Appends a line and waits until it is durable. */
  async append(line: JournalLine): Promise<void> {
    await this.#journal?.append(JSON.stringify({ v: 1, ...line }));
  }

  /** Appends a line without requiring it. A lost line never leads to a second charge: at worst the row is resent with
   * the same key, or changed params are rejected. */
  async tryAppend(line: JournalLine): Promise<void> {
    await this.append(line).catch((error: unknown) => {
      this.#log.error(
        () =>
          `journal: appending failed (${String(error)}), so the row may be resent with the same key.`,
      );
    });
  }

  #apply(line: Exclude<JournalLine, { type: 'run' }>): void {
    const { type, id, ...fields } = line;
    const { openSubmits = 0, params, fallback, ...history } = this.rows.get(id) ?? {};
    const isPaused = line.type === 'refused' && line.paused;
    const change = type === 'submit' ? 1 : type === 'refused' ? -1 : 0;
    this.rows.set(id, {
      ...history,
      // Params can be large, and only a submission that is open or paused is ever resent from them.
      params: isPaused ? params : undefined,
      fallback: isPaused ? fallback : undefined,
      ...fields,
      // If the `submit` line of a `refused` line is damaged, later submissions still count.
      openSubmits: Math.max(0, openSubmits + change),
    });
  }
}
