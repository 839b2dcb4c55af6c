import type { RowResult } from '../results.ts';
import type { Row } from '../row/row.ts';

/** A row that a pool can run. */
export interface RowWork<Result extends RowResult> {
  readonly row: Row;
  /**
   * Takes the row through its states with `runRow`, which never rejects. `onAccepted` is called when the row waits only
   * for its result.
   */
  readonly run: (onAccepted: () => void) => Promise<Result>;
}

/** The rows of a run. */
export interface RowSource<Result extends RowResult> {
  readonly rows: Iterable<RowWork<Result>> | AsyncIterable<RowWork<Result>>;
  /** The rows that are known before they are read. */
  readonly known?: Iterable<Row> | undefined;
  /** Returns the number of rows, if it is known. Called when it is needed, because the caller may add rows. */
  readonly countRows: () => number | undefined;
  /** Whether no more rows are read once the run has paused. Those in flight are finished and yielded. */
  readonly endsAtPause: boolean;
}
