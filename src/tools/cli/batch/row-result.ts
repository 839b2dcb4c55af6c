/** What the results file says about a row. */
export interface RowResult {
  id: string;
  /** `open`: not sent, or its result is not saved yet. `unknown`: it may have been charged, and it is not known how it ended. */
  status: 'succeeded' | 'failed' | 'unknown' | 'open';
  files: readonly string[];
  urls: readonly string[];
  /** What it has cost in all runs, in USD. */
  usd: number;
  taskId?: string | undefined;
  idempotencyKey?: string | undefined;
  /** The text of a chat. */
  answer?: string | undefined;
  /** Why the text ends, if it is not complete, such as `length`. */
  finishReason?: string | undefined;
  error?: string | undefined;
}

/** How many rows have ended in which way. */
export interface Counts {
  succeeded: number;
  failed: number;
  unknown: number;
  open: number;
}

/** Counts the rows by their status. */
export function countRows(results: Iterable<Pick<RowResult, 'status'>>): Counts {
  const counts: Counts = { succeeded: 0, failed: 0, unknown: 0, open: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

/**
 * The exit code of a batch. `isUnsaved`: a result that may have been paid for is not saved.
 */
export function exitCodeOfRows({ failed, unknown, open }: Counts, isUnsaved: boolean): 0 | 1 | 3 {
  if (unknown > 0 || isUnsaved) return 3;
  return failed > 0 || open > 0 ? 1 : 0;
}
