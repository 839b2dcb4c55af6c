import type { InjectedReply, ScriptedReply } from './chat/replies.ts';
import type { MockClock } from './clock.ts';
import type { Fault, InjectedFault } from './http/faults.ts';

/** A reference gateway that runs in this process. */
export interface MockGateway {
  /** The first API key. */
  readonly apiKey: string;
  /** The fictional origin that {@link MockGateway.fetch} serves. `listen` returns the origin of its socket. */
  readonly baseURL: string;
  /**
   * The gateway as a `fetch` function that makes no network requests. It returns redirects instead of
   * following them.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The clock of the gateway. Pass it to the client. */
  readonly clock: MockClock;
  /** All charges and refunds, in order. */
  readonly invoice: readonly InvoiceLine[];
  /** All requests as received, in order. */
  readonly requests: readonly MockRequest[];
  /** The highest number of requests that held a slot at the same time. */
  readonly peakInFlight: number;
  /** Number of requests that hold a slot now. */
  readonly inFlight: number;
  /** The balance and total spend of the first key's owner, in USD. */
  readonly wallet: { readonly usd: number; readonly spentUsd: number };
  /** All tasks, in the order of submission. */
  readonly tasks: readonly MockTask[];
  /**
   * Asserts that an idempotency key was charged exactly once. Without a key, asserts that at least
   * one charge was made, that every charge had a key, and that no key was charged twice. A refund
   * does not undo a charge here.
   *
   * @example
   * ```ts
   * mock.fail({ route: 'POST /v1/videos', reset: 'after', times: 1 });
   * await gateway.videos.submit(params, { idempotencyKey: 'row-17' });
   * mock.assertPaidOnce('row-17');
   * ```
   *
   * @throws Error with the relevant invoice lines, if the assertion fails
   */
  assertPaidOnce(idempotencyKey?: string): void;
  /**
   * Injects a fault.
   *
   * @throws `ConfigurationError` if a field of the fault is unknown.
   */
  fail(fault: Fault): InjectedFault;
  /** Removes all faults. */
  clearFaults(): void;
  /**
   * Scripts the reply to chat requests, streamed or not. If several replies match a request, the oldest is sent.
   * Requests without one receive generated text.
   *
   * @example
   * ```ts
   * mock.reply({ match: /weather/i, toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }], times: 1 });
   * mock.reply({ model: 'aurora-chat', text: 'It is sunny in Oslo.' });
   * ```
   *
   * @throws `ConfigurationError` if a field is unknown, or if there is not exactly one of `text`, `chunks` and `toolCalls`.
   */
  reply(reply: ScriptedReply): InjectedReply;
  /** Clears `requests` and `invoice`, and resets `peakInFlight`. Wallets, tasks and other state remain. */
  clearRecords(): void;
  /**
   * Returns wallets, invoice, tasks, idempotency keys, materials and voices as an object that can be stored as JSON,
   * for the option `snapshot` of another gateway. It contains no API keys. Its format may change with any version.
   *
   * @example
   * ```ts
   * const restarted = createMockGateway({ snapshot: mock.snapshot() });
   * ```
   */
  snapshot(): object;
  /** Changes the concurrency limit for subsequent requests. */
  setConcurrencyLimit(limit: number): void;
  /**
   * Changes the balance of the first key's owner. `wallet.spentUsd` and `invoice` remain.
   *
   * @example
   * ```ts
   * mock.setBalance(0); // paid requests fail with a 402
   * mock.setBalance(mock.wallet.usd + 10); // a top-up
   * ```
   *
   * @throws Error if the balance is negative or not a finite number
   */
  setBalance(usd: number): void;
  /**
   * Enables or disables a key.
   *
   * @throws Error if the gateway has no such key
   */
  setKeyState(key: string, state: KeyState): void;
}

/** A task of the gateway. */
export interface MockTask {
  /** Task id. */
  id: string;
  /** Kind of the task. */
  kind: 'image' | 'video' | 'audio';
  /** Model id. */
  model: string;
  /** The prompt; for speech, the text to synthesize. */
  prompt: string;
  /** The current status, by the gateway's clock. */
  status: 'queued' | 'in_progress' | 'processing' | 'completed' | 'failed';
  /** The user who submitted the task. */
  user: string;
  /** The charge in USD. A refund does not change it. */
  chargeUsd: number;
  /** The key with which the task was submitted, if any. */
  idempotencyKey: string | undefined;
}

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

/** The state of a key. Requests with a disabled key fail with a 403. */
export type KeyState = 'enabled' | 'disabled';
