import { monotonicNow, startTimer } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import type { BatchBudget } from './budget.ts';

/** The progress of a batch or a recovery, as passed to `onProgress`. */
export interface BatchProgress {
  /** Number of all rows; undefined if the inputs are not an array. */
  total?: number | undefined;
  /** Number of rows that have succeeded, including those of earlier runs that this run has read. */
  done: number;
  /** Number of rows that have failed. */
  failed: number;
  /** Number of rows that may have been charged and have no result. */
  unknown: number;
  /** Number of rows that have been read and have not ended. */
  running: number;
  /**
   * Sum of the charges for all rows in USD, over all runs of the journal. Includes those for tasks that
   * existed already.
   */
  usd: number;
  /** Sum of the estimates in USD for rows whose charge is not known. Undefined if there are none. */
  estimatedUsd?: number | undefined;
}

/** The number of rows by how they have ended. */
export type RowCounts = Pick<BatchProgress, 'done' | 'failed' | 'unknown' | 'running'>;

/** The shortest time between two calls, in ms. */
const minInterval = 100;

/** Reports the progress of a batch to the caller. */
export class ProgressReporter {
  readonly #config: Config;
  readonly #onProgress: ((progress: BatchProgress) => void) | undefined;
  readonly #read: () => BatchProgress;
  #lastAt = -Infinity;
  #stopTimer: (() => void) | undefined;
  #hasEnded = false;

  constructor(
    config: Config,
    onProgress: ((progress: BatchProgress) => void) | undefined,
    read: () => BatchProgress,
  ) {
    this.#config = config;
    this.#onProgress = onProgress;
    this.#read = read;
  }

  /** Reports a change, now or when enough time has passed. */
  update(): void {
    if (!this.#onProgress || this.#stopTimer || this.#hasEnded) return;
    const { clock } = this.#config;
    const remainingMs = this.#lastAt + minInterval - monotonicNow(clock);
    if (remainingMs <= 0) this.#report();
    else this.#stopTimer = startTimer(clock, remainingMs, () => this.#report());
  }

  /** Reports the final state. */
  end(): void {
    this.#hasEnded = true;
    this.#stopTimer?.();
    this.#report();
  }

  #report(): void {
    this.#stopTimer = undefined;
    this.#lastAt = monotonicNow(this.#config.clock);
    if (this.#onProgress) notify(this.#config.log, this.#onProgress, this.#read(), 'onProgress');
  }
}

/** Combines what is known about the rows. */
export function toProgress(
  total: number | undefined,
  counts: RowCounts,
  budget: BatchBudget,
): BatchProgress {
  const { chargedUsd: usd, estimatedUsd } = budget.total;
  return {
    ...(total !== undefined && { total }),
    ...counts,
    usd,
    ...(estimatedUsd > 0 && { estimatedUsd }),
  };
}
