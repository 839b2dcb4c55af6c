import { ConfigurationError } from '../../errors/configuration.ts';
import type { ChatCompletion } from '../../types/chat/completion.ts';
import type { Journal } from '../../types/tasks/journal.ts';
import { newIdempotencyKey } from '../call/request-options.ts';
import type { Log } from '../config/log.ts';
import { objectWithMethods } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { isChatPath, parseLine } from './journal-line.ts';
import type { JournalLine } from './journal-line.ts';
import { unsentError } from './paused-rows.ts';
import { addLine } from './row-history.ts';
import type { RowHistory } from './row-history.ts';
import { StoredCompletions } from './stored-completions.ts';

/** How a `run` line starts, up to its id. */
const runLineStart = '{"v":1,"type":"run"';

const tornLine = '{"v":1,"type":"torn"}';

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
  /** Numbers of the damaged lines that may have been acted on. */
  #damagedLines: number[] = [];
  /** Whether the last line was torn by the end of a process. */
  #isTorn = false;
  #completions: StoredCompletions | undefined;
  #release: (() => Promise<void>) | undefined;
  #locking: Promise<void> | undefined;
  #isClosed = false;
  /** How often it was read. */
  generation = 0;

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
    this.rows.clear();
    this.#damagedLines = [];
    this.generation += 1;
    let isEmpty = true;
    let number = 0;
    for await (const text of this.#journal?.read() ?? []) {
      number += 1;
      if (!text.trim()) continue;
      isEmpty &&= isRunLine(text);
      const wasTorn = this.#isTorn;
      this.#isTorn = false;
      try {
        const line = parseLine(text);
        if (line.type === 'run') this.#runId ??= line.run;
        else if (line.type === 'torn') this.#damagedLines.pop();
        else this.rows.set(line.id, addLine(this.rows.get(line.id) ?? {}, line, number));
      } catch (error) {
        // The message of JSON.parse quotes the line, which may contain a prompt.
        const reason = ConfigurationError.is(error) ? error.message : 'It is not JSON.';
        const message = `journal: line ${number} is damaged and was ignored. ${reason}`;
        // The other lines stay usable.
        this.damaged.push(new ConfigurationError(message));
        // What is left of a `torn` or a `run` line is no trace of a row.
        if (tornLine.startsWith(text) || isRunLine(text)) this.#isTorn = wasTorn;
        else {
          this.#damagedLines.push(number);
          this.#isTorn = true;
        }
      }
    }
    const completed = [...this.rows.values()].flatMap(({ completedAt = [] }) => completedAt);
    this.#completions = new StoredCompletions(() => this.#journal?.read() ?? noLines(), completed);
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

  /** Whether chats were recorded in it. */
  get hasChats(): boolean {
    return [...this.rows.values()].some(({ path }) => isChatPath(path));
  }

  /**
   * Keeps other processes from using the journal until {@link close}, and reads it again. A line that was torn by the end
   * of the last process is marked, because more lines follow.
   *
   * @throws {@link ConfigurationError} if the journal cannot be locked, or is locked.
   */
  async lock(isRequired: boolean): Promise<void> {
    const journal = this.#journal;
    if (!journal) return;
    if (!journal.lock) {
      if (!isRequired) return;
      throw new ConfigurationError(
        'journal: has no lock(), which chats need: two processes that send the same chat would both be charged. ' +
          'Use fileJournal, or implement lock(). Nothing was sent for chats.',
      );
    }
    await (this.#locking ??= this.#lock(journal, journal.lock.bind(journal)));
  }

  async #lock(journal: Journal, lock: () => Promise<() => Promise<void>>): Promise<void> {
    const release = await lock().catch((cause: unknown) => {
      if (ConfigurationError.is(cause)) throw cause;
      throw new ConfigurationError(
        `journal: locking failed (${String(cause)}). Nothing was sent.`,
        { cause },
      );
    });
    // A row whose callback was still running when the batch ended.
    if (this.#isClosed) {
      await release();
      throw unsentError(undefined);
    }
    this.#release = release;
    await this.read();
    if (!this.#isTorn) return;
    await journal.append(tornLine);
    this.#damagedLines.pop();
    this.#isTorn = false;
  }

  /** Whether a damaged line may be about a row with this history, because it is later than all of its lines. */
  isIncompleteFor({ lineNumber = 0 }: RowHistory): boolean {
    const lines = this.#isTorn ? this.#damagedLines.slice(0, -1) : this.#damagedLines;
    return lines.some((number) => number > lineNumber);
  }

  /** The number of damaged lines that may be about a row. */
  get damagedCount(): number {
    return this.#damagedLines.length;
  }

  /** The completion that an earlier run has received. */
  async completionAt(lineNumber: number): Promise<ChatCompletion> {
    if (!this.#completions) throw new ConfigurationError('journal: was not read.');
    return this.#completions.take(lineNumber);
  }

  /** Releases what reading and locking occupy. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#completions?.close();
    await this.#release?.();
  }

  /** Appends a line and waits until it is durable. */
  async append(line: JournalLine): Promise<void> {
    await this.#journal?.append(JSON.stringify({ v: 1, ...line }));
  }

  /**
   * Appends a line without requiring it, and returns whether it is durable. A lost line never leads to a second charge: at
   * worst a task is resent with the same key, changed params are rejected, a chat is unknown to later runs, or a result that
   * was taken is yielded again.
   */
  async tryAppend(line: JournalLine, isReplayed = true): Promise<boolean> {
    try {
      await this.append(line);
      return true;
    } catch (error) {
      const consequence =
        line.type === 'finished'
          ? 'a recovery yields the row again'
          : isReplayed
            ? 'the row may be resent with the same key'
            : 'later runs will not know the outcome of the row';
      this.#log.error(() => `journal: appending failed (${String(error)}), so ${consequence}.`);
      return false;
    }
  }
}

async function* noLines(): AsyncGenerator<string> {}
