import type { AfterResponseHook, BeforeRequestHook } from 'ky';

import type { Charge } from '../../wire/types/meta.ts';
import type { Telemetry } from '../../wire/types/telemetry.ts';
import type { Clock } from './clock.ts';
import type { Logger, LogLevel } from './log.ts';

export type { AfterResponseHook, BeforeRequestHook };

/** Options of a {@link Polygate} client. Only `apiKey` and `baseURL` have no built-in default. */
export interface PolygateOptions {
  /**
   * API key, or a function that returns it for each attempt. `null` means that the server behind `baseURL`, such as a
   * proxy, adds the credentials: the client sends none.
   * @defaultValue the environment variable `POLYGATE_API_KEY`
   */
  apiKey?: string | (() => string | Promise<string>) | null | undefined;
  /**
   * Origin of the service, such as `https://host.example`. A trailing `/` or `/v1` is accepted and removed. In a
   * browser, a path such as `/api/gateway` is resolved against the URL of the page.
   * @defaultValue the environment variable `POLYGATE_BASE_URL`
   */
  baseURL?: string | undefined;
  /**
   * Timeout for one attempt, in milliseconds. It covers the response headers and body; for a stream, only the headers.
   * @defaultValue 60,000; 600,000 for chat
   */
  timeout?: number | undefined;
  /**
   * Time limit for a whole call, in milliseconds: waiting for a concurrency slot, every attempt and the pauses between
   * them. For a stream, it covers the time until the headers. The call then fails with {@link RequestTimeoutError}.
   * The wait for a task has a separate limit, `waitTimeout`.
   * @defaultValue no limit
   */
  totalTimeout?: number | undefined;
  /**
   * Maximum time without a byte from a stream, in milliseconds, before it fails with {@link StreamIdleTimeoutError}.
   * Comments count as bytes. The body of a download fails with {@link ConnectionError} after the same time.
   * @defaultValue 60,000
   */
  streamIdleTimeout?: number | undefined;
  /**
   * Maximum number of retries after the first attempt. Requests are retried only where a retry cannot charge twice.
   * @defaultValue 3
   */
  maxRetries?: number | undefined;
  /**
   * Also retries these paid calls after a failure with an unknown outcome, with the same idempotency key. Set it only
   * for a service that guarantees idempotent replay for them.
   * @defaultValue `{ chat: false, voices: false }`
   */
  retryAmbiguous?: { chat?: boolean | undefined; voices?: boolean | undefined } | undefined;
  /**
   * Maximum delay before a retry, in milliseconds. A longer `Retry-After` fails the call immediately, with
   * `retryAfterMs` on the error.
   * @defaultValue 60,000
   */
  maxRetryDelay?: number | undefined;
  /**
   * Maximum time to wait for a concurrency slot, in milliseconds from the start of the call. After that, the call fails
   * with {@link ConcurrencyLimitError}; a retry gets a slot only if one is free.
   * @defaultValue 300,000
   */
  maxQueueTime?: number | undefined;
  /**
   * Maximum size of a response body, in bytes.
   * @defaultValue 67,108,864 (64 MiB)
   */
  maxResponseBytes?: number | undefined;
  /**
   * Maximum size of a stream event, in bytes.
   * @defaultValue `maxResponseBytes`
   */
  maxEventBytes?: number | undefined;
  /**
   * Concurrency of chat and generation requests. `'auto'` learns the account's limit from response headers and queues
   * requests locally; a number additionally caps it; `false` turns off local queueing.
   * @defaultValue `'auto'`
   */
  concurrency?: 'auto' | number | false | undefined;
  /**
   * Spending limit. A paid request that would exceed it is not sent and fails with {@link BudgetExceededError}. The
   * price of a request is reserved before it is sent if it is known: always for voices; for images, videos, music and
   * speech from the price list of the service, which the client loads for that. Otherwise, it reserves the largest charge
   * of its route so far. If a paid request succeeds and the service reports no charge, the same amount counts toward the
   * budget, but not in `spend`.
   */
  budget?: Budget | undefined;
  /**
   * How long calls with `fallback` skip a model that was over capacity (429 or 503), in milliseconds, unless all models of
   * the call were. Clients that share an account through `withOptions` also share which models were.
   * @defaultValue 10,000
   */
  fallbackCooldown?: number | undefined;
  /** Called for every charged response. Errors that it throws are logged and do not affect the call. */
  onCharge?: ((charge: Charge) => void) | undefined;
  /** Extra headers for every request. `null` removes a default header, such as the client's `user-agent`. */
  headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /**
   * Functions that run before each request is sent and after each response has arrived, for example to log or sign
   * requests. Polls and retries run them as well; downloads do not. A hook that throws ends the call with
   * {@link HookError}, without a retry. With hooks, the client sends through ky.
   * @defaultValue no hooks
   */
  hooks?: Hooks | undefined;
  /**
   * Any WHATWG-compatible `fetch` implementation. It is called with a URL and options. With `hooks`, it is called with
   * an instance of the global `Request` instead. Errors that it throws count as failed connections. With a `budget`, a paid
   * call that it makes can wait for the request that it is sending, until a timeout, unless it uses another `new Polygate()`.
   * @defaultValue the global `fetch`
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Clock used for every wait in the client. Replace it to run tests in virtual time.
   * @defaultValue the system clock
   */
  clock?: Clock | undefined;
  /**
   * Source of random numbers for jitter, from 0 (inclusive) to 1 (exclusive).
   * @defaultValue `Math.random`
   */
  random?: (() => number) | undefined;
  /**
   * Vendor prefix of response headers.
   * @defaultValue `'x-svc-'`
   */
  headerPrefix?: string | undefined;
  /**
   * Name of the header that carries the caller's request id.
   * @defaultValue `'x-request-id'`
   */
  requestIdHeader?: string | undefined;
  /** Templates with `{id}` for the poll paths that the specification does not document. */
  paths?: { videoTask?: string | undefined; imageTask?: string | undefined } | undefined;
  /**
   * Destination of log messages. API keys, prompts and completions are never logged.
   * @defaultValue `console`
   */
  logger?: Logger | undefined;
  /**
   * Log level.
   * @defaultValue the environment variable `POLYGATE_LOG`, or `'warn'`
   */
  logLevel?: LogLevel | undefined;
  /**
   * Receives every call, wait and `generate` of the client, for traces and metrics: `openTelemetry()` of
   * `polygate/otel`, or your own {@link Telemetry}.
   * @defaultValue nothing is recorded
   */
  telemetry?: Telemetry | undefined;
  /**
   * Allows passing an `apiKey` in a browser, where anyone who opens the page can read it.
   * @defaultValue false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Allows plain `http:` for hosts other than loopback, and downloads from `http:` and private addresses.
   * @defaultValue false
   */
  allowInsecureBaseURL?: boolean | undefined;
}

/** Options of a `ChatClient` of `polygate/chat`: those of {@link Polygate}, without hooks. */
export type ChatClientOptions = Omit<PolygateOptions, 'hooks'>;

/** A spending limit. */
export interface Budget {
  /** Maximum total in USD. */
  maxUsd: number;
  /**
   * Also rejects requests whose price is unknown before they are sent.
   * @defaultValue false
   */
  strict?: boolean | undefined;
}

/**
 * Hooks of all requests except downloads, with the types and semantics of ky. They run once per attempt, in order, and
 * the client waits for each one. `timeout`, `totalTimeout` and `signal` apply while they run.
 */
export interface Hooks {
  /**
   * Called before a request is sent. May change the headers of `request`, return another `Request`, or return a
   * `Response`, which is used as the response while nothing is sent. Another origin or idempotency key fails with
   * {@link ConfigurationError}. `retryCount` is always 0.
   */
  readonly beforeRequest?: readonly BeforeRequestHook[] | undefined;
  /**
   * Called with a copy of each response, whatever its status; without a body if the response is an event stream. May
   * return a `Response`, whose body is read in place of the original one. Status and headers, and so charge, task id and
   * request id, are always those that the service sent. `retryCount` is the number of earlier attempts. `ky.retry()`
   * fails the call.
   */
  readonly afterResponse?: readonly AfterResponseHook[] | undefined;
}
