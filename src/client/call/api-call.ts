import type { ModelAttempt, Outcome } from '../../errors/base.ts';
import type { Endpoint, Safety } from '../../wire/endpoints/endpoint.ts';
import { safetyOf } from '../../wire/endpoints/endpoint.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import type { Config } from '../config/config.ts';
import type { EndpointHeaders } from '../http/request-headers.ts';
import type { KnownPrices } from '../limits/estimate.ts';

/** Observes the attempts of a call. */
export interface AttemptObserver {
  /** Called before each attempt, once it has a concurrency slot. If it rejects, nothing is sent. */
  readonly beforeAttempt?: (() => Promise<void>) | undefined;
  /** Called right before an attempt is sent. */
  readonly onSend?: () => void;
  /** Called with a response, before it can admit other calls that wait for a slot. */
  readonly onResponse?: (response: Response) => void;
  /** Called with an error response and its metadata, which its error will have, before its body is read. */
  readonly onErrorResponse?: (response: Response, meta: ResponseMeta) => void;
  /** Called before the pause between two attempts, with the combined outcome of all attempts so far. */
  readonly onRetry?: (outcome: Outcome) => void;
}

/** One API call, as a resource describes it. */
export interface ApiCall extends EndpointHeaders {
  /**
   * Path template of the specification, for messages, telemetry and the ledger: `/v1/images/tasks/{id}`. Of a raw request
   * or a route that the specification does not have, the path.
   */
  readonly template: string;
  /** The template with its placeholders filled in, and the query. Defaults to the template. */
  readonly path?: string | undefined;
  /** Whether the request may be sent again. */
  readonly safety: Safety;
  /** Whether the request costs money. */
  readonly paid?: boolean | undefined;
  /** Whether the request holds one of the account's concurrency slots. */
  readonly usesSlot?: boolean | undefined;
  /** What a submission generates. */
  readonly kind?: TaskKind | undefined;
  /** The model id, for the ledger and price estimates. */
  readonly model?: string | undefined;
  /** Estimates the price in USD from the model's prices. Returns undefined if they are unknown. */
  readonly estimateUsd?: ((prices: KnownPrices) => number | undefined) | undefined;
  /** Timeout of one attempt in ms, unless the caller sets one. */
  readonly timeout?: number | undefined;
  readonly observer?: AttemptObserver | undefined;
  /**
   * Whether the caller receives error responses, as from `gateway.fetch`. Their bodies can then be read after the call
   * has ended, so its error does not abort the request.
   */
  readonly returnsErrorResponses?: boolean | undefined;
  /** The task that every error of this call refers to. */
  readonly task?: TaskHandle | undefined;
  /** Returns the task that an error of this call refers to, by its id in the response. */
  readonly findTask?:
    | ((id: string, meta: ResponseMeta, call: ApiCall) => TaskHandle | undefined)
    | undefined;
  /** Whether the call may be sent to other models, with the same idempotency key. */
  readonly hasFallback?: boolean | undefined;
  /** The attempt with another model that has failed before this call. */
  readonly previous?: ModelAttempt | undefined;
}

/** The method and the path template, which identify the endpoint in messages and in the ledger. */
export function routeOf({ method, template }: ApiCall): string {
  return `${method} ${template}`;
}

/** Whether the client makes a call wait for a concurrency slot. A client with `concurrency: false` makes none wait. */
export function waitsForSlot({ usesSlot }: ApiCall, { concurrency }: Config): boolean {
  return usesSlot === true && concurrency !== false;
}

/** How the requests to an endpoint are treated. */
export function callTo(endpoint: Endpoint, config: Config): ApiCall {
  const { method, path, audience, paid, usesSlot, kind, timeout, idempotencyHeader } = endpoint;
  return {
    method,
    template: path,
    safety: safetyOf(endpoint, config.retryAmbiguous),
    paid,
    usesSlot,
    kind,
    timeout: timeout && config[timeout],
    idempotencyHeader,
    credentials: audience !== 'public',
  };
}
