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

/** One row of the table that compares the ledger with that of version 0.3.0, in calls per second. */
export interface LedgerRow {
  readonly id: string;
  readonly title: string;
  readonly values: { readonly before: number; readonly now: number };
}

/** The results of a benchmark run. */
export interface Report {
  /** Platform and processor, without the host name. */
  readonly machine: string;
  readonly node: string;
  /** Day of the measurement. */
  readonly date: string;
  /** Versions by package. */
  readonly versions: Record<string, string>;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly nodeFetch: readonly OptionRow[];
  /** CPU time over TLS, with `nodeFetch` over HTTP/1.1 and HTTP/2. */
  readonly http2: readonly OptionRow[];
  readonly hooks: readonly OptionRow[];
  readonly telemetry: readonly OptionRow[];
  readonly queue: readonly QueueRow[];
  readonly limits: readonly LimitsRow[];
  /** Empty in a clone without the history of version 0.3.0. */
  readonly ledger?: readonly LedgerRow[];
}
