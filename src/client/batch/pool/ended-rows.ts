import type { BatchJournal } from '../journal/batch-journal.ts';
import type { JournalLine } from '../journal/line.ts';
import type { RowResult } from '../results.ts';
import type { Row } from '../row/row.ts';
import type { PausedRow } from './end-errors.ts';

/** A result that the caller has not taken. */
interface Ended<Result extends RowResult> {
  readonly result: Result;
  /** What to record when the caller has taken it. */
  readonly line: JournalLine | undefined;
}

/** The rows of a run that have ended, and their results until the caller has taken them. */
export class EndedRows<Result extends RowResult> {
  readonly #journal: BatchJournal;
  readonly #onRecorded: () => void;
  readonly #results: Ended<Result>[] = [];
  /** Rows that only the pause kept from being submitted. They are not yielded. */
  readonly #paused: PausedRow[] = [];
  /** Numbers of the results that were or will be yielded. */
  readonly #counts = { done: 0, failed: 0, unknown: 0 };
  /** Numbers of the results that the caller has taken, and of those that succeeded or failed. */
  readonly #taken = { yielded: 0, done: 0 };
  #recording = 0;

  /** `onRecorded` is called when the end of a row is durable, or cannot be recorded. */
  constructor(journal: BatchJournal, onRecorded: () => void) {
    this.#journal = journal;
    this.#onRecorded = onRecorded;
  }

  /** The first result that the caller has not taken. */
  get first(): Result | undefined {
    return this.#results[0]?.result;
  }

  /** Number of results that the caller has not taken. */
  get untaken(): number {
    return this.#results.length;
  }

  /** Number of `finished` lines that are not durable yet. */
  get recording(): number {
    return this.#recording;
  }

  /** The numbers of results by status. */
  get counts() {
    return this.#counts;
  }

  /** What the error of a paused run reports. */
  get summary() {
    return { paused: this.#paused, ...this.#taken };
  }

  /** Adds a row that only the pause kept from being submitted. */
  addPaused(row: PausedRow): void {
    this.#paused.push(row);
  }

  /** Adds a row that has a result. */
  add(row: Row, result: Result): void {
    const { status } = result;
    this.#results.push({ result, line: finishedLine(row, result) });
    this.#counts[status === 'succeeded' ? 'done' : status] += 1;
  }

  /**
   * Removes the first result, which the caller has taken, and records the end of its row. If the process dies
   * before that, the next one yields the result again.
   */
  take(): void {
    const end = this.#results.shift();
    if (!end) return;
    this.#taken.yielded += 1;
    if (end.result.status !== 'unknown') this.#taken.done += 1;
    if (end.line) void this.#record(end.line);
  }

  async #record(line: JournalLine): Promise<void> {
    this.#recording += 1;
    await this.#journal.tryAppend(line, 'a recovery yields the row again');
    this.#recording -= 1;
    this.#onRecorded();
  }
}

/** The line for the end of a row; undefined if it is not final, or was recorded by an earlier run. */
function finishedLine({ state, history }: Row, { id, status }: RowResult): JournalLine | undefined {
  if (state !== 'durable' || status === 'unknown' || status === history.status) return undefined;
  return { type: 'finished', id, status };
}
