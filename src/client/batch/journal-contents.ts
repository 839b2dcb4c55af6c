import { ConfigurationError } from '../../errors/base.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { Journal } from '../../wire/types/tasks/task-handle.ts';
import { parseLine } from './journal-line.ts';
import { addLine, isLostChat, mayBeCharged, nextOf, unpricedSubmits } from './row-history.ts';
import type { RowHistory } from './row-history.ts';

/** How each line starts. */
const lineStart = '{"v":1,"type":"';

/** How a `run` line starts, up to its id. */
const runLineStart = `${lineStart}run"`;

/** Marks the damaged line before it as one that was torn by the end of a process. */
export const tornLine = '{"v":1,"type":"torn"}';

/**
 * Whether a line is a `run` line, complete or torn: it is written before the first submit, so nothing was sent. A second
 * brace begins another line, whose line end was lost or is not a line feed.
 */
const isRunLine = (text: string): boolean =>
  text !== '' && startsLike(runLineStart, text) && text.lastIndexOf('{') <= 0;

/**
 * A line as its process has written it. After a power loss, some file systems end a file with NULs in place of what was not
 * flushed, and so was never acted on.
 */
function withoutNuls(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 0) end -= 1;
  return line.slice(0, end);
}

const startsLike = (start: string, text: string): boolean =>
  start.startsWith(text.slice(0, start.length));

/** What the lines of a journal say, as far as they were read. */
export class JournalContents {
  /** What is recorded about each row, by id. */
  readonly rows = new Map<string, RowHistory>();
  /** One error for each damaged line. */
  readonly damaged: ConfigurationError[] = [];
  #runId: string | undefined;
  /** Whether there are no lines but blank lines and `run` lines, complete or torn. */
  #isEmpty = true;
  /** Whether the last line was torn by the end of a process. */
  isTorn = false;
  /** Whether the last line is damaged: as torn, or after it was stored. */
  #isLastDamaged = false;
  /** Numbers of the damaged lines that may have been acted on. */
  readonly #damagedLines: number[] = [];
  /** Number of lines. */
  #count = 0;

  /**
   * The id of the run, from which all keys are derived; undefined if the journal is empty but for torn `run` lines.
   *
   * @throws {@link ConfigurationError} when the journal has lines but no readable `run` line. A new run would derive
   * new keys, and rows that were already paid for would be paid for again.
   */
  openRun(): string | undefined {
    if (this.#runId === undefined && !this.#isEmpty) {
      const parts = {
        summary:
          'journal: its first line, from which the keys of all rows are derived, is missing or damaged.',
        charge: nothingSent,
        advice: 'Restore it from a backup: a new journal would pay for the rows of this one again.',
      };
      throw createError(ConfigurationError, parts, { cause: this.damaged[0] });
    }
    return this.#runId;
  }

  /** The number of damaged lines that may be about a row. */
  get damagedCount(): number {
    return this.#damagedLines.length;
  }

  /** Whether a damaged line may be about a row with this history, because it is later than all of its lines. */
  isIncompleteFor({ lineNumber = 0 }: RowHistory): boolean {
    const lines = this.isTorn ? this.#damagedLines.slice(0, -1) : this.#damagedLines;
    return lines.some((number) => number > lineNumber);
  }

  /** Whether a damaged line is earlier than the latest one of a row with this history. */
  isIncompleteBefore({ lineNumber = 0 }: RowHistory): boolean {
    return this.#damagedLines.some((number) => number < lineNumber);
  }

  /** Adds the next line. */
  add(stored: string): void {
    this.#count += 1;
    const text = withoutNuls(stored);
    if (!text.trim() && text === stored) return;
    this.#isEmpty &&= isRunLine(text);
    const before = { isTorn: this.isTorn, isDamaged: this.#isLastDamaged };
    this.isTorn = false;
    this.#isLastDamaged = false;
    try {
      const line = parseLine(text);
      if (line.type === 'run') this.#runId ??= line.run;
      else if (line.type === 'torn') {
        // Twice, it would hide an earlier damaged line.
        if (before.isDamaged) this.#damagedLines.pop();
      } else this.rows.set(line.id, addLine(this.rows.get(line.id) ?? {}, line, this.#count));
    } catch (error) {
      this.#addDamaged(text, error, before);
    }
  }

  /** The other lines stay usable. */
  #addDamaged(
    text: string,
    error: unknown,
    before: { readonly isTorn: boolean; readonly isDamaged: boolean },
  ): void {
    // The message of JSON.parse quotes the line, which may contain a prompt.
    const reason = ConfigurationError.is(error) ? error.message : 'It is not JSON.';
    const message = `journal: line ${this.#count} is damaged and was ignored. ${reason}`;
    this.damaged.push(new ConfigurationError(message));
    // A torn `torn` or `run` line does not concern any row.
    if ((text !== '' && tornLine.startsWith(text)) || isRunLine(text)) {
      this.isTorn = before.isTorn;
      this.#isLastDamaged = before.isDamaged;
    } else {
      this.#damagedLines.push(this.#count);
      this.#isLastDamaged = true;
      // Any other damage can be that of a line that was stored, and acted on.
      this.isTorn = !ConfigurationError.is(error) && startsLike(lineStart, text);
    }
  }

  /** Records that a `torn` line was appended. */
  markTorn(): void {
    this.#damagedLines.pop();
    this.isTorn = false;
    this.#isLastDamaged = false;
  }
}

/** A row of a journal. */
export interface JournalRow {
  /** The charges that are known, in USD. */
  readonly usd: number;
  /** The sum of the estimates for submissions whose charge is not known, in USD. */
  readonly estimatedUsd: number;
  /** The idempotency key. */
  readonly key?: string | undefined;
  /** The id of the task, once it was accepted. */
  readonly taskId?: string | undefined;
  /** Whether it is a chat whose completion is in the journal. */
  readonly isCompleted: boolean;
  /** Whether it may have been charged. */
  readonly mayBeCharged: boolean;
  /** Whether it may have been charged more than `usd`. */
  readonly isUncertain: boolean;
  /** Whether it was sent and only its key can find the task, so that the next run sends it again. */
  readonly needsReplay: boolean;
  /** Whether it is a chat that was sent, and whose completion is not in the journal. */
  readonly isLostChat: boolean;
  /** How it ended. */
  readonly status?: string | undefined;
}

/** What a journal contains. */
export interface JournalContent {
  /** The id of its run, which distinguishes it from other journals; undefined if it is empty. */
  readonly run: string | undefined;
  /** The rows by their ids in the journal. */
  readonly rows: ReadonlyMap<string, JournalRow>;
  /** Whether it has damaged lines that may be about a row that was sent. */
  readonly isDamaged: boolean;
}

/**
 * Reads a journal. Writes nothing.
 *
 * @throws `ConfigurationError` if it has content and is no journal, or has lost its first line.
 */
export async function readJournal(file: Pick<Journal, 'read'>): Promise<JournalContent> {
  const contents = new JournalContents();
  for await (const line of file.read()) contents.add(line);
  const rows = Array.from(contents.rows, ([id, row]) => [id, toRow(row)] as const);
  return { run: contents.openRun(), rows: new Map(rows), isDamaged: contents.isIncompleteFor({}) };
}

function toRow(history: RowHistory): JournalRow {
  const { key, receipt, completedAt, cost, end } = history;
  const { chargedUsd = 0, estimatedUsd = 0 } = cost ?? {};
  return {
    usd: chargedUsd,
    estimatedUsd,
    key: key ?? receipt?.idempotencyKey,
    taskId: receipt?.id,
    isCompleted: completedAt !== undefined,
    mayBeCharged: mayBeCharged(history),
    isUncertain: estimatedUsd > 0 || unpricedSubmits(history) > 0,
    needsReplay: nextOf(history) === 'resend',
    isLostChat: isLostChat(history),
    status: end,
  };
}

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
