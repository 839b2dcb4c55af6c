import { AbortedError } from '../../errors/call.ts';
import { Changes } from './changes.ts';
import type { JournalLine } from './journal-line.ts';
import type { PauseReason } from './pause.ts';
import type { RowCounts } from './progress.ts';
import type { RowResult } from './results.ts';
import type { Row } from './row.ts';
import type { RunContext } from './run.ts';

// What a pool of rows decides: pure functions, so that a table can test them.

/** How many rows are prepared ahead of the requests in flight, so that a free slot is used immediately. */
const preparedAhead = 16;

/** What decides whether a pool reads the next row. */
export interface ReadState {
  /** Whether no more rows are wanted: the run was stopped, or it ends at a pause that has begun. */
  readonly isEnding: boolean;
  /** Number of rows that are running, or whose result the caller has not taken. */
  readonly inFlight: number;
  readonly maxInFlight: number;
  /** Number of running rows that are not accepted yet. */
  readonly active: number;
  /** Number of requests in flight; undefined if the client does not limit them. */
  readonly requests: number | undefined;
}

/** Whether to read the next row, to wait for a change, or to read no more. */
export function nextRead(state: ReadState): 'read' | 'wait' | 'stop' {
  const { isEnding, inFlight, maxInFlight, active, requests } = state;
  if (isEnding) return 'stop';
  if (inFlight >= maxInFlight) return 'wait';
  return requests !== undefined && active >= requests + preparedAhead ? 'wait' : 'read';
}

/** What decides how a run continues. */
export interface StepState<Result, Reason> {
  /** The first result that the caller has not taken. */
  readonly result: Result | undefined;
  readonly isAborted: boolean;
  /** Why the run is paused, if it is. */
  readonly pauseReason: Reason | undefined;
  /** Whether more rows may be read. */
  readonly mayReadMore: boolean;
  /** Number of rows that are running. */
  readonly running: number;
  /** Number of `finished` lines that are not durable yet. */
  readonly recording: number;
}

/**
 * The next step of a run: yield a result, throw because the caller has aborted, wait for a change, throw because the run
 * is paused, or end.
 */
export type Step<Result, Reason> =
  | { readonly type: 'yield'; readonly result: Result }
  | { readonly type: 'abort' | 'wait' | 'end' }
  | { readonly type: 'pause'; readonly reason: Reason };

/** Decides how a run continues. */
export function nextStep<Result, Reason>(state: StepState<Result, Reason>): Step<Result, Reason> {
  const { result, isAborted, pauseReason, mayReadMore, running, recording } = state;
  // Results that were paid for come first, whatever ends the run.
  if (result !== undefined) return { type: 'yield', result };
  if (isAborted) return { type: 'abort' };
  if (running > 0 || recording > 0 || mayReadMore) return { type: 'wait' };
  return pauseReason === undefined ? { type: 'end' } : { type: 'pause', reason: pauseReason };
}

/** A row that a pool can run. */
export interface RowWork {
  readonly row: Row;
  /**
   * Takes the row through its states with `runRow`, which never rejects. `onAccepted` is called when the row waits only
   * for its result.
   */
  readonly run: (onAccepted: () => void) => Promise<RowResult>;
}

/** The rows of a run. */
export interface RowSource {
  readonly rows: Iterable<RowWork> | AsyncIterable<RowWork>;
  /** The rows that are known before they are read. */
  readonly known?: Iterable<Row> | undefined;
  /** Returns the number of rows, if it is known. Called when it is needed, because the caller may add rows. */
  readonly countRows: () => number | undefined;
  /** Whether no more rows are read once the run has paused. Those in flight are finished and yielded. */
  readonly endsAtPause: boolean;
}

/** The rows that a run works on concurrently, from the moment they are read until the caller has taken their results. */
export class RowPool {
  readonly #source: RowSource;
  readonly #context: RunContext;
  readonly #onChange: () => void;
  readonly #running = new Set<Row>();
  /** Those of the running rows that are not accepted yet. */
  readonly #active = new Set<Row>();
  /** Rows that were read, or are known, and have no result. */
  readonly #open: Set<Row>;
  /** Results that the caller has not taken, and what to record when the caller has taken them. */
  readonly #results: { readonly result: RowResult; readonly line: JournalLine | undefined }[] = [];
  /** Rows that only the pause kept from being submitted. They are not yielded. */
  readonly #paused: { readonly status: RowResult['status']; readonly error: PauseReason }[] = [];
  /** Numbers of the results that were or will be yielded. */
  readonly #counts = { done: 0, failed: 0, unknown: 0 };
  /** Numbers of the results that the caller has taken, and of those that succeeded or failed. */
  readonly #taken = { yielded: 0, done: 0 };
  /** Number of `finished` lines that are not durable yet. */
  #recording = 0;
  #hasReadAll = false;
  #isStopped = false;
  /** `readAll` and the loop in run-rows.ts wait for these. */
  readonly #changes = new Changes();

  /** `onChange` is called when a row starts or ends. */
  constructor(source: RowSource, context: RunContext, onChange: () => void) {
    this.#source = source;
    this.#context = context;
    this.#onChange = onChange;
    this.#open = new Set(source.known);
  }

  /** The numbers of rows by how they have ended, and of those that are running. */
  get counts(): RowCounts {
    return { ...this.#counts, running: this.#running.size };
  }

  get open(): Iterable<Row> {
    return this.#open;
  }

  /** What the error of a paused run reports. `total` is undefined if the source did not yield all rows. */
  get pausedRows() {
    return { paused: this.#paused, ...this.#taken, total: this.#source.countRows() };
  }

  /** Decides how the run continues. */
  nextStep(): Step<RowResult, PauseReason> {
    const { signal, pause } = this.#context;
    return nextStep({
      result: this.#results[0]?.result,
      isAborted: signal?.aborted === true,
      pauseReason: pause.reason,
      mayReadMore: !this.#hasReadAll && !this.#isEnding,
      running: this.#running.size,
      recording: this.#recording,
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
   * Removes the first result, which the caller has taken, and records the end of its row. If the process dies before that,
   * the next one yields the result again.
   */
  take(): void {
    const end = this.#results.shift();
    if (end) {
      this.#taken.yielded += 1;
      if (end.result.status !== 'unknown') this.#taken.done += 1;
      if (end.line) void this.#record(end.line);
    }
    this.#changes.notify();
  }

  async #record(line: JournalLine): Promise<void> {
    this.#recording += 1;
    await this.#context.journal.tryAppend(line, 'a recovery yields the row again');
    this.#recording -= 1;
    this.#changes.notify();
  }

  /** Aborts all rows, and reads no more. */
  stop(reason: unknown): void {
    this.#isStopped = true;
    for (const { controller } of this.#running) controller.abort(reason);
    this.#changes.notify();
  }

  /**
   * The caller takes no more results: reads and sends no more, and aborts all rows but chats in flight. Resolves when their
   * responses have been read.
   */
  leave(): Promise<void> {
    this.#isStopped = true;
    this.#changes.notify();
    return this.#context.chats.leave(this.#running);
  }

  get #isEnding(): boolean {
    const isPauseEnd = this.#source.endsAtPause && this.#context.pause.reason !== undefined;
    return this.#isStopped || isPauseEnd;
  }

  #nextRead() {
    const { config, slots, maxInFlight } = this.#context;
    return nextRead({
      isEnding: this.#isEnding,
      inFlight: this.#running.size + this.#results.length,
      maxInFlight,
      active: this.#active.size,
      requests: config.concurrency === false ? undefined : slots.inFlight,
    });
  }

  async #start({ row, run }: RowWork): Promise<void> {
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

  #end(row: Row, result: RowResult): void {
    const { pause, signal } = this.#context;
    const { status, error } = result;
    if (pause.isReason(error)) this.#paused.push({ status, error });
    // A row that was cut short stays open: it is listed in the error of the aborted run.
    else if (!signal?.aborted || !AbortedError.is(error)) {
      this.#results.push({ result, line: finishedLine(row, result) });
      this.#counts[status === 'succeeded' ? 'done' : status] += 1;
      this.#open.delete(row);
    }
  }
}

/** The line for the end of a row; undefined if it is not final, or was recorded by an earlier run. */
function finishedLine({ state, history }: Row, { id, status }: RowResult): JournalLine | undefined {
  if (state !== 'durable' || status === 'unknown' || status === history.end) return undefined;
  return { type: 'finished', id, status };
}
