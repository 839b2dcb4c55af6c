import { ConfigurationError } from '../../errors/base.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import { next } from '../../paid/life.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { Journal } from '../../wire/types/tasks/task-handle.ts';
import type { Log } from '../config/log.ts';
import { objectWithMethods } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { newIdempotencyKey } from '../http/request-headers.ts';
import { JournalContents, StoredCompletions, tornLine } from './journal-contents.ts';
import { isChatPath } from './journal-line.ts';
import type { Intent, JournalLine, RowLine } from './journal-line.ts';
import { contestedRowError, unsentError, unwrittenChargesError } from './row-errors.ts';
import type { UnwrittenCharge } from './row-errors.ts';
import { EarlierRows, lifeOf } from './row-history.ts';
import type { RowHistory } from './row-history.ts';
import type { Row } from './row.ts';

export const journalRule: Rule = objectWithMethods('read', 'append');

/** Reads and appends the journal of a batch. Without a `Journal`, it is always empty and appending does nothing. */
export class BatchJournal {
  /** What earlier runs recorded about the rows. */
  readonly earlier = new EarlierRows();
  readonly #journal: Journal | undefined;
  readonly #log: Log | undefined;
  /** What its lines say, as of the last reading. */
  contents = new JournalContents();
  #completions: StoredCompletions | undefined;
  #release: (() => Promise<void>) | undefined;
  #locking: Promise<void> | undefined;
  /** While a torn line is being marked. */
  #marking: Promise<void> | undefined;
  #isClosed = false;
  /** Lines with charges that could not be written, in their order. */
  readonly #unwritten: (UnwrittenCharge & { readonly line: RowLine })[] = [];
  #writing: Promise<void> | undefined;
  #lastReading: Promise<unknown> = Promise.resolve();
  #nextReading: Promise<ReadonlyMap<string, RowHistory>> | undefined;

  constructor(journal: Journal | undefined, log?: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Reads all lines. */
  async read(): Promise<void> {
    const contents = new JournalContents();
    this.contents = contents;
    this.earlier.beginReading(contents.rows);
    await this.#fill(contents);
    this.earlier.endReading(contents.rows);
    const journal = this.#journal;
    if (!journal) return;
    const completed = [...contents.rows.values()].flatMap(({ completedAt = [] }) => completedAt);
    this.#completions = new StoredCompletions(() => journal.read(), completed);
  }

  /** What earlier runs recorded about the rows that this run has not read; undefined if there is a journal that was not read. */
  get unread(): RowHistory[] | undefined {
    return this.#journal && !this.earlier.isRead ? undefined : this.earlier.unread;
  }

  /**
   * Checks a row whose task was replayed: another run, which has begun at the same time, may have sent other params under its key.
   * Rows that are checked while the journal is being read share the next reading.
   *
   * @throws {@link ConfigurationError} if the task may be that of the other params.
   */
  async checkParams({ id, idempotencyKey }: Row, { hash }: Intent): Promise<void> {
    this.#nextReading ??= this.#lastReading.then(() => {
      this.#nextReading = undefined;
      const reading = this.#fill(new JournalContents());
      this.#lastReading = reading.catch(() => undefined);
      return reading;
    });
    const history = (await this.#nextReading).get(id) ?? {};
    const step = next(lifeOf(history), { fingerprint: hash }, 'key');
    if (step === 'outcome_unknown') throw contestedRowError(id, idempotencyKey);
  }

  async #fill(contents: JournalContents): Promise<ReadonlyMap<string, RowHistory>> {
    for await (const text of this.#journal?.read() ?? []) contents.add(text);
    return contents.rows;
  }

  /**
   * Reads the journal and returns the id of its run, from which all keys are derived. Starts the run if the journal is
   * empty.
   *
   * @throws the same error as {@link JournalContents.openRun}.
   */
  async openRun(): Promise<string> {
    await this.read();
    const existing = this.contents.openRun();
    if (existing !== undefined) return existing;
    const run = newIdempotencyKey();
    await this.append({ type: 'run', run });
    // Another process may have started a run at the same time. The first line wins in both processes.
    await this.read();
    return this.contents.openRun() ?? run;
  }

  /** Whether it keeps other processes away. One that is no `Journal` has no others. */
  get canLock(): boolean {
    return !this.#journal || this.#journal.lock !== undefined;
  }

  /** Whether chats were recorded in it. */
  get hasChats(): boolean {
    return [...this.earlier.byId.values()].some(({ path }) => isChatPath(path));
  }

  /**
   * Keeps other processes from using the journal until {@link close}, and reads it again. A line that was torn by the end
   * of the last process is marked, because more lines follow. `isRequired`: the journal must support it.
   *
   * @throws {@link ConfigurationError} if the journal cannot be locked, or is locked.
   */
  async lock({ isRequired }: { isRequired: boolean }): Promise<void> {
    const journal = this.#journal;
    if (!journal) return;
    if (!journal.lock) {
      if (!isRequired) return;
      throw new ConfigurationError(
        'journal: has no lock(), which chats need: two processes that send the same chat would both be charged. ' +
          'Use fileJournal, or implement lock(). Nothing was sent for chats.',
      );
    }
    await (this.#locking ??= this.#lock(journal.lock.bind(journal)));
    // A row whose callback was still running when the batch ended.
    if (this.#isClosed) throw unsentError(undefined);
  }

  async #lock(lock: () => Promise<() => Promise<void>>): Promise<void> {
    const release = await lock().catch((cause: unknown) => {
      if (ConfigurationError.is(cause)) throw cause;
      const parts = { summary: `journal: locking failed (${String(cause)}).`, charge: nothingSent };
      throw createError(ConfigurationError, parts, { cause });
    });
    if (this.#isClosed) return release();
    this.#release = release;
    await this.read();
    // Once the lock is released, another process may mark the line, and a second mark would hide an earlier
    // damaged line.
    if (!this.contents.isTorn || this.#isClosed) return;
    this.#marking = this.#write(tornLine);
    await this.#marking.finally(() => (this.#marking = undefined));
    this.contents.markTorn();
  }

  /** Whether a line is being written that needs the lock. */
  get isMarking(): boolean {
    return this.#marking !== undefined;
  }

  /** The completion that an earlier run has received. */
  async completionAt(lineNumber: number): Promise<ChatCompletion> {
    if (!this.#completions) throw new ConfigurationError('journal: was not read.');
    return this.#completions.take(lineNumber);
  }

  /** Releases what reading and locking occupy. The lock is released even if the reading cannot be ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const writing = this.writeCharges();
    await Promise.all([writing, this.#completions?.close(), this.#unlock(writing)]);
  }

  async #unlock(writing: Promise<void>): Promise<void> {
    await Promise.allSettled([this.#marking, writing]);
    await this.#release?.();
  }

  /** Appends a line and waits until it is durable. */
  async append(line: JournalLine): Promise<void> {
    await this.#write(JSON.stringify({ v: 1, ...line }));
  }

  async #write(text: string): Promise<void> {
    await this.#journal?.append(text);
  }

  /**
   * Appends a line that is the first one with a charge, in USD. If it cannot be written, {@link writeCharges} tries again. Returns
   * whether it is durable.
   */
  async appendCharge(line: RowLine, usd: number): Promise<boolean> {
    const isDurable = await this.tryAppend(line, 'it is written before anything else is sent');
    if (!isDurable) this.#unwritten.push({ id: line.id, usd, line });
    return isDurable;
  }

  /**
   * Writes the lines with charges that could not be written. Called before anything is sent: a later run would not count them, and
   * spend them once more.
   *
   * @throws {@link ConfigurationError} if they still cannot be written.
   */
  writeCharges(): Promise<void> {
    return (this.#writing ??= this.#writeUnwritten().finally(() => (this.#writing = undefined)));
  }

  async #writeUnwritten(): Promise<void> {
    for (;;) {
      const [charge] = this.#unwritten;
      if (charge === undefined) return;
      await this.append(charge.line).catch((error: unknown) => {
        throw unwrittenChargesError(error, this.#unwritten);
      });
      this.#unwritten.shift();
    }
  }

  /**
   * Appends a line without requiring it, and returns whether it is durable. A lost line never leads to a second charge: at
   * worst a task is resent with the same key, changed params are rejected, a chat is unknown to later runs, or a result that
   * was taken is yielded again. `ifLost` says in the log which of these happens.
   */
  async tryAppend(line: JournalLine, ifLost: string): Promise<boolean> {
    try {
      await this.append(line);
      return true;
    } catch (error) {
      this.#log?.error(() => `journal: appending failed (${String(error)}), so ${ifLost}.`);
      return false;
    }
  }
}

/** Returns the id of the run of a journal. Starts the run if the journal is empty. */
export async function openJournal(file: Journal): Promise<string> {
  const journal = new BatchJournal(file);
  try {
    return await journal.openRun();
  } finally {
    await journal.close();
  }
}
