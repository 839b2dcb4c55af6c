/** A request as the gateway received it. */
export interface MockRequest {
  method: string;
  /** The path as sent, without the query string. */
  path: string;
  /** The query string including its `?`; empty if there is none. */
  search: string;
  /** The headers by lower-case name. */
  headers: Record<string, string>;
  /** The parsed JSON body, or its text if it is not valid JSON; undefined if there is no body. */
  body: unknown;
  /** The body exactly as sent. */
  bodyText: string;
  /** When the request arrived, in clock milliseconds. */
  at: number;
  /** The request id that the response carries. */
  requestId: string;
  /** The status of the response; undefined until then, and if a fault dropped the connection. */
  status: number | undefined;
}

/** A charge or refund on the invoice. */
export interface InvoiceLine {
  /** Amount in USD; negative for a refund. */
  usd: number;
  model: string;
  /** Method and path, such as `POST /v1/videos`. */
  route: string;
  idempotencyKey: string | undefined;
  taskId: string | undefined;
  requestId: string;
  kind: 'charge' | 'refund';
  /** The user whose wallet was charged or refunded. */
  user: string;
  /** When it was charged or refunded, in clock milliseconds. */
  at: number;
}

/** A request and its response in brief, as the command-line log shows them. */
export interface ExchangeSummary {
  method: string;
  path: string;
  status: number;
  requestId: string;
  /** Time from the request to the response headers, in clock milliseconds. */
  ms: number;
  chargeUsd: number | undefined;
  idempotencyKey: string | undefined;
  /** Whether the response is an idempotent replay. */
  replay: boolean;
  /** Whether the response is an event stream. */
  stream: boolean;
  /** The error code, such as `model_not_found`; undefined for a successful response. */
  code: string | undefined;
}
