import type { Fault } from './http/fault.ts';

/** A request as the gateway received it. */
export interface MockRequest {
  /** The HTTP method, in upper case. */
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
  /** The status; undefined until the response is sent, and if a fault dropped the connection. */
  status: number | undefined;
}

/** A charge or refund on the invoice. */
export interface InvoiceLine {
  /** Amount in USD; negative for a refund. */
  usd: number;
  /** Model id. */
  model: string;
  /** Method and path, such as `POST /v1/videos`. */
  route: string;
  /** The idempotency key of the charged request, if it had one. */
  idempotencyKey: string | undefined;
  /** The task that was charged or refunded; undefined for chat. */
  taskId: string | undefined;
  /** Id of the charged request. */
  requestId: string;
  /** Whether the line is a charge or a refund. */
  kind: 'charge' | 'refund';
  /** The user whose wallet was charged or refunded. */
  user: string;
  /** Time of the charge or refund, in clock milliseconds. */
  at: number;
}

/**
 * Why the caller did not receive a response: an injected fault refused or reset the connection or withholds the
 * response, or the caller disconnected first.
 */
export type LostResponse = 'refused' | 'reset' | 'stalled' | 'disconnected';

/** A summary of a request and its response, for logs. */
export interface ExchangeSummary {
  /** The HTTP method, in upper case. */
  method: string;
  /** The path as sent, without the query string. */
  path: string;
  /** The status of the response; undefined if it was lost. */
  status: number | undefined;
  /** Why the caller did not receive a response; undefined if its headers were sent. */
  lost: LostResponse | undefined;
  /** The request id that the response carries; empty if the connection was refused. */
  requestId: string;
  /** Time from the request to the response headers, or to the loss of the response, in clock milliseconds. */
  ms: number;
  /**
   * The charge of the request in USD, even if its response is lost or replaced by a fault. For a replay, the charge of
   * the original request.
   */
  chargeUsd: number | undefined;
  /** The idempotency key of the request, if it had one. */
  idempotencyKey: string | undefined;
  /** Whether the response is an idempotent replay. */
  replay: boolean;
  /** Whether the response is an event stream. */
  stream: boolean;
  /** The error code, such as `model_not_found`; undefined if the response has none. */
  code: string | undefined;
  /** The injected fault that affected the request, as it was passed to `mock.fail`. */
  fault: Fault | undefined;
}
