import { AbortedError } from '../../../errors/aborted.ts';
import type { JournalLine } from '../journal/line.ts';
import type { RowResult } from '../results.ts';
import type { Row } from '../row/row.ts';
import { Changes } from '../run/changes.ts';
import type { RunContext } from '../run/context.ts';
import type { PauseReason } from '../run/pause.ts';
import type { RowCounts } from '../run/progress.ts';
import { nextRead, nextStep } from './decisions.ts';
import type { Step } from './decisions.ts';
import type { PausedRow } from './end-errors.ts';
import type { RowSource, RowWork } from './row-source.ts';

/** A result that the caller has not taken. */
interface Ended<Result extends RowResult> {
  readonly result: Result;
  /** What to record when the caller has taken it. */
  readonly line: JournalLine | undefined;
}

/** The rows that a run works on concurrently, from the moment they are read until the caller has taken their results. */
export class RowPool<Result extends RowResult> {
  readonly #source: RowSource<Result>;
  readonly #context: RunContext;
  readonly #onChange: () => void;
  readonly #running = new Set<Row>();
  /** Those of the running rows that are not accepted yet. */
  readonly #active = new Set<Row>();
  /** Rows that were read, or are known, and have no result. */
  readonly #open: Set<Row>;
  readonly #ended: Ended<Result>[] = [];
  /** Rows that only the pause kept from being submitted. They are not yielded. */
  readonly #paused: PausedRow[] = [];
  /** Numbers of the results that were or will be yielded. */
  readonly #counts = { done: 0, failed: 0, unknown: 0 };
  /** Numbers of the results that the caller has taken, and of those that succeeded or failed. */
  readonly #taken = { yielded: 0, done: 0 };
  /** Number of `finished` lines that are not durable yet. */
  #writing = 0;
  #hasReadAll = false;
  #isStopped = false;
  /** `readAll` and the loop in run-rows.ts wait for these. */
  readonly #changes = new Changes();

  /** `onChange` is called when a row starts or ends. */
  constructor(source: RowSource<Result>, context: RunContext, onChange: () => void) {
    this.#source = source;
    this.#context = context;
    this.#onChange = onChange;
    this.#open = new Set(source.known);
  }

  /** The numbers of rows by how they have ended, and of those that are running. */
  get counts(): RowCounts {
    return { ...this.#counts, running: this.#running.size };
  }

  /** Rows that were read, or are known, and have no result. */
  get open(): Iterable<Row> {
    return this.#open;
  }

  /** What the error of a paused run reports. */
  get pausedRows() {
    return { paused: this.#paused, ...this.#taken, total: this.#source.countRows() };
  }

  /** Decides how the run continues. */
  nextStep(): Step<Result, PauseReason> {
    const { signal, pause } = this.#context;
    return nextStep({
      result: this.#ended[0]?.result,
      isAborted: signal?.aborted === true,
      pauseReason: pause.reason,
      mayReadMore: !this.#hasReadAll && !this.#isEnding,
      running: this.#running.size,
      writing: this.#writing,
    });
  }

  /** Reads rows while the limits allow, and starts them. Rejects with the error of the source. */
  async readAll(): Promise<void> {
    try {
      for await (const work of this.#source.rows) {
        if (!this.#isStopped) void this.#start(work);
        let next = this.#nextRead();
        for (; next === 'wait'; next = this.#nextRead()) await this.nextChange();
        if (next === 'stop') break;
      }
    } finally {
      this.#hasReadAll = true;
      this.#changes.notify();
    }
  }

  /** Resolves when anything has changed. */
  nextChange(): Promise<void> {
    return this.#changes.next();
  }

  /**
   * Removes the first result, which the caller has taken, and records the end of its row. If the process dies
   * before that, the next one yields the result again.
   */
  take(): void {
    const end = this.#ended.shift();
    if (!end) return;
    this.#taken.yielded += 1;
    if (end.result.status !== 'unknown') this.#taken.done += 1;
    if (end.line) void this.#write(end.line);
    this.#changes.notify();
  }

  /** Aborts all rows, and reads no more. */
  stop(reason: unknown): void {
    this.#isStopped = true;
    for (const { controller } of this.#running) controller.abort(reason);
    this.#changes.notify();
  }

  get #isEnding(): boolean {
    const isPauseEnd = this.#source.endsAtPause && this.#context.pause.reason !== undefined;
    return this.#isStopped || isPauseEnd;
  }

  #nextRead() {
    const { config, slots, maxInFlight } = this.#context;
    return nextRead({
      isEnding: this.#isEnding,
      inFlight: this.#running.size + this.#ended.length,
      maxInFlight,
      active: this.#active.size,
      requests: config.concurrency === false ? undefined : slots.inFlight,
    });
  }

  async #start({ row, run }: RowWork<Result>): Promise<void> {
    this.#running.add(row);
    this.#active.add(row);
    this.#open.add(row);
    this.#onChange();
    const result = await run(() => {
      this.#active.delete(row);
      this.#changes.notify();
    });
    this.#end(row, result);
    this.#running.delete(row);
    this.#active.delete(row);
    this.#changes.notify();
    this.#onChange();
  }

  #end(row: Row, result: Result): void {
    const { pause, signal } = this.#context;
    const { status, error } = result;
    if (pause.isReason(error)) {
      this.#paused.push({ status, error });
      return;
    }
    // A row that was cut short is listed in the error of the aborted run.
    if (signal?.aborted && AbortedError.is(error)) return;
    this.#ended.push({ result, line: finishedLine(row, result) });
    this.#open.delete(row);
    this.#counts[status === 'succeeded' ? 'done' : status] += 1;
  }

  async #write(line: JournalLine): Promise<void> {
    this.#writing += 1;
    await this.#context.journal.tryAppend(line, 'a recovery yields the row again');
    this.#writing -= 1;
    this.#changes.notify();
  }
}

/** The line for the end of a row; undefined if it is not final, or was recorded by an earlier run. */
function finishedLine({ state, history }: Row, { id, status }: RowResult): JournalLine | undefined {
  if (state !== 'durable' || status === 'unknown' || status === history.status) return undefined;
  return { type: 'finished', id, status };
}
