/** What a pool of rows decides: pure functions, so that a table can test them. */

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
