/** A request as the gateway received it. */
export interface MockRequest {
  method: string;
  /** The path as sent, without the query. */
  path: string;
  /** The query with its `?`; empty without one. */
  search: string;
  /** By lower-case names. */
  headers: Record<string, string>;
  /** The parsed JSON; the text when it is not JSON; undefined without a body. */
  body: unknown;
  /** The body exactly as sent. */
  bodyText: string;
  /** When it came, clock milliseconds. */
  at: number;
  /** The id that its answer carries. */
  requestId: string;
  /** The status of its answer; undefined until then, and for a connection that was dropped. */
  status: number | undefined;
}

/** One line of the bill. */
export interface InvoiceLine {
  /** USD; negative in a refund. */
  usd: number;
  model: string;
  /** Such as `POST /v1/videos`. */
  route: string;
  idempotencyKey: string | undefined;
  taskId: string | undefined;
  requestId: string;
  kind: 'charge' | 'refund';
  /** Who pays. */
  user: string;
  /** Clock milliseconds. */
  at: number;
}

/** What the log of the command line shows of an answer. */
export interface ExchangeSummary {
  method: string;
  path: string;
  status: number;
  requestId: string;
  /** From the request to the answer's headers, clock milliseconds. */
  ms: number;
  chargeUsd: number | undefined;
  idempotencyKey: string | undefined;
  /** Whether the key had been used before. */
  replay: boolean;
  /** Whether the answer is a stream of events. */
  stream: boolean;
  /** Of an error, such as `model_not_found`. */
  code: string | undefined;
}
