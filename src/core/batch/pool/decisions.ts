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
export interface StepState {
  /** Whether there is a result that the caller has not taken. */
  readonly hasResult: boolean;
  readonly isAborted: boolean;
  readonly isPaused: boolean;
  /** Whether more rows may be read. */
  readonly mayReadMore: boolean;
  /** Number of rows that are running. */
  readonly running: number;
  /** Number of `finished` lines that are not durable yet. */
  readonly writing: number;
}

/**
 * The next step of a run: yield a result, throw because the caller has aborted, wait for a change, throw because the run
 * is paused, or end.
 */
export function nextStep(state: StepState): 'yield' | 'abort' | 'wait' | 'pause' | 'end' {
  // Results that were paid for come first, whatever ends the run.
  if (state.hasResult) return 'yield';
  if (state.isAborted) return 'abort';
  if (state.running > 0 || state.writing > 0 || state.mayReadMore) return 'wait';
  return state.isPaused ? 'pause' : 'end';
}
