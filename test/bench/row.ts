/** One row of the benchmark table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** Unit of the values: `×` for ratios, empty for counts. */
  readonly unit: string;
  /** The maximum value for polygate. */
  readonly target: number;
  /** How the row was measured. */
  readonly method: string;
  /** Values by client. */
  readonly values: Record<string, number>;
  /** Absolute value of the baseline (`raw`), where the other values are relative to it. */
  readonly baseline?: string;
}

/** One row of a table that compares clients with and without an option, in CPU time relative to the baseline. */
export type OptionRow = Pick<Row, 'id' | 'title' | 'values'> & Required<Pick<Row, 'baseline'>>;

/** One row of the table that compares a queue of generations with BullMQ alone. */
export interface QueueRow {
  readonly id: string;
  readonly title: string;
  /** `plain` is BullMQ alone, where it does the same work. */
  readonly values: { readonly plain?: number; readonly rows: number };
}

/** One row of the table that shows what `limits` adds to a request that the proxy forwards, in µs. */
export interface LimitsRow {
  readonly id: string;
  readonly title: string;
  readonly values: { readonly none: number; readonly memory: number; readonly redis: number };
}
