import type { Charge } from '../../schemas/charge.ts';
import type { Clock } from './clock.ts';
import type { Logger, LogLevel } from './log.ts';

/** How a {@link Polygate} client works. Everything has a default but the key and the base URL. */
export interface PolygateOptions {
  /**
   * The API key, or a function that gives it for each request. `null` says that whoever stands behind `baseURL` adds
   * the credentials: none are sent.
   * @defaultValue the environment variable `POLYGATE_API_KEY`
   */
  apiKey?: string | (() => string | Promise<string>) | null | undefined;
  /**
   * Where the service is: `https://host`; a trailing `/` or `/v1` is accepted and removed. In a browser a path such as
   * `/api/gateway` stands on the page's own origin.
   * @defaultValue the environment variable `POLYGATE_BASE_URL`
   */
  baseURL?: string | undefined;
  /**
   * Time for one attempt, ms: headers and body; of a stream, until its headers.
   * @defaultValue 60 000; chat 600 000
   */
  timeout?: number | undefined;
  /**
   * Longest silence of a stream, ms; comments count as a sign of life.
   * @defaultValue 60 000
   */
  streamIdleTimeout?: number | undefined;
  /**
   * Retries after the first attempt, where a retry cannot pay twice.
   * @defaultValue 3
   */
  maxRetries?: number | undefined;
  /**
   * Also retry these paid calls after a failure whose outcome is unknown, always under one key. Only for a service
   * that promises to replay them.
   * @defaultValue `{ chat: false, voices: false }`
   */
  retryAmbiguous?: { chat?: boolean | undefined; voices?: boolean | undefined } | undefined;
  /**
   * Longest pause before a retry, ms. A `Retry-After` above it fails at once, with `retryAfterMs` on the error.
   * @defaultValue 60 000
   */
  maxRetryDelay?: number | undefined;
  /**
   * Longest wait for a concurrency slot, ms.
   * @defaultValue 300 000
   */
  maxQueueTime?: number | undefined;
  /**
   * Largest answer, bytes.
   * @defaultValue 67 108 864 (64 MiB)
   */
  maxResponseBytes?: number | undefined;
  /**
   * Largest event of a stream, bytes.
   * @defaultValue 16 777 216 (16 MiB)
   */
  maxEventBytes?: number | undefined;
  /**
   * How many chat and generation requests may run at once: `'auto'` learns it from the service, a number caps it
   * further, `false` leaves it to the service.
   * @defaultValue `'auto'`
   */
  concurrency?: 'auto' | number | false | undefined;
  /**
   * Refuses paid requests once this much is spent, USD. The price of a request is set aside before it is sent, where it
   * is known: of voices always, of images, videos, music and speech once `models.retrieve` has told it.
   */
  budget?: Budget | undefined;
  /** Called for every charged answer. */
  onCharge?: ((charge: Charge) => void) | undefined;
  /** Extra headers for every request; `null` removes a default one. */
  headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /**
   * Any WHATWG-compatible `fetch`.
   * @defaultValue the global one
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Time; every wait in the client goes through it.
   * @defaultValue the machine's
   */
  clock?: Clock | undefined;
  /**
   * Source of jitter, from 0 up to 1.
   * @defaultValue `Math.random`
   */
  random?: (() => number) | undefined;
  /**
   * The vendor prefix of response headers.
   * @defaultValue `'x-svc-'`
   */
  headerPrefix?: string | undefined;
  /**
   * The header of a caller's request id. Assumption A10.
   * @defaultValue `'x-request-id'`
   */
  requestIdHeader?: string | undefined;
  /** Where tasks are asked for, with `{id}`. Assumptions A1 and A2. */
  paths?: { videoTask?: string | undefined; imageTask?: string | undefined } | undefined;
  /**
   * Where messages go. No key, prompt or answer is ever logged.
   * @defaultValue `console`
   */
  logger?: Logger | undefined;
  /**
   * How much is logged.
   * @defaultValue the environment variable `POLYGATE_LOG`, else `'warn'`
   */
  logLevel?: LogLevel | undefined;
  /**
   * Allows an `apiKey` in a browser, where everybody who opens the page can read it.
   * @defaultValue false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Allows plain `http:` to hosts other than this machine.
   * @defaultValue false
   */
  allowInsecureBaseURL?: boolean | undefined;
}

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
