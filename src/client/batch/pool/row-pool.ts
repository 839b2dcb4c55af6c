import { AbortedError } from '../../../errors/call.ts';
import type { RowResult } from '../results.ts';
import type { Row } from '../row/row.ts';
import { Changes } from '../run/changes.ts';
import type { RunContext } from '../run/context.ts';
import type { PauseReason } from '../run/pause.ts';
import type { RowCounts } from '../run/progress.ts';
import { nextRead, nextStep } from './decisions.ts';
import type { Step } from './decisions.ts';
import { EndedRows } from './ended-rows.ts';
import type { RowSource, RowWork } from './row-source.ts';

/** The rows that a run works on concurrently, from the moment they are read until the caller has taken their results. */
export class RowPool<Result extends RowResult> {
  readonly #source: RowSource<Result>;
  readonly #context: RunContext;
  readonly #onChange: () => void;
  readonly #running = new Set<Row>();
  /** Those of the running rows that are not accepted yet. */
  readonly #active = new Set<Row>();
  readonly #ended: EndedRows<Result>;
  /** Rows that were read, or are known, and have no result. */
  readonly #open: Set<Row>;
  #hasReadAll = false;
  #isStopped = false;
  /** `readAll` and the loop in run-rows.ts wait for these. */
  readonly #changes = new Changes();

  /** `onChange` is called when a row starts or ends. */
  constructor(source: RowSource<Result>, context: RunContext, onChange: () => void) {
    this.#source = source;
    this.#context = context;
    this.#onChange = onChange;
    this.#ended = new EndedRows(context.journal, () => this.#changes.notify());
    this.#open = new Set(source.known);
  }

  /** The numbers of rows by how they have ended, and of those that are running. */
  get counts(): RowCounts {
    return { ...this.#ended.counts, running: this.#running.size };
  }

  /** Rows that were read, or are known, and have no result. */
  get open(): Iterable<Row> {
    return this.#open;
  }

  /** What the error of a paused run reports. */
  get pausedRows() {
    return { ...this.#ended.summary, total: this.#source.countRows() };
  }

  /** Decides how the run continues. */
  nextStep(): Step<Result, PauseReason> {
    const { signal, pause } = this.#context;
    return nextStep({
      result: this.#ended.first,
      isAborted: signal?.aborted === true,
      pauseReason: pause.reason,
      mayReadMore: !this.#hasReadAll && !this.#isEnding,
      running: this.#running.size,
      recording: this.#ended.recording,
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

  /** The caller has taken the first result. */
  take(): void {
    this.#ended.take();
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
      inFlight: this.#running.size + this.#ended.untaken,
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
    if (pause.isReason(error)) this.#ended.addPaused({ status, error });
    // A row that was cut short stays open: it is listed in the error of the aborted run.
    else if (!signal?.aborted || !AbortedError.is(error)) {
      this.#ended.add(row, result);
      this.#open.delete(row);
    }
  }
}
