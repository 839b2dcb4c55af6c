import type { ModelAttempt, Outcome } from '../../errors/base.ts';
import type { Endpoint, Safety } from '../../wire/endpoints/endpoint.ts';
import { safetyOf } from '../../wire/endpoints/endpoint.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import type { Config } from '../config/config.ts';
import type { Part } from '../http/part.ts';
import type { EndpointHeaders } from '../http/request-headers.ts';
import type { KnownPrices } from '../limits/prices.ts';
import type { CheckedOptions, Fallback } from './request-options.ts';

/** Observes the attempts of a call. */
export interface AttemptObserver {
  /** Called before each attempt, once it has a concurrency slot. If it rejects, nothing is sent. */
  readonly beforeAttempt?: (() => Promise<void>) | undefined;
  /** Called right before an attempt is sent. */
  readonly onSend?: () => void;
  /**
   * Called with the metadata of a response, before it can admit other calls that wait for a slot. `isLate`: its attempt was
   * aborted or has timed out, so a later attempt may have had its response already.
   */
  readonly onResponse?: ((meta: ResponseMeta, isLate: boolean) => void) | undefined;
  /** Called with each charge in USD, as `onCharge` of the client: 0 for a replay of one that counts already. */
  readonly onCharge?: (usd: number) => void;
  /** Called with an error response and its metadata, which its error will have, before its body is read. */
  readonly onErrorResponse?: (response: Response, meta: ResponseMeta) => void;
  /** Whether another attempt may follow one that has failed. If not, its error ends the call. */
  readonly mayRetry?: () => boolean | Promise<boolean>;
  /** Called before the pause between two attempts, with the combined outcome of all attempts so far, and the last error. */
  readonly onRetry?: (outcome: Outcome, error: unknown) => void;
}

/**
 * One API call, as a resource describes it: ready to be sent. Later changes to the caller's params and options do not affect
 * it.
 */
export interface ApiRequest extends EndpointHeaders {
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
    | ((id: string, meta: ResponseMeta, request: ApiRequest) => TaskHandle | undefined)
    | undefined;
  /** The attempt with another model that has failed before this call. */
  readonly previous?: ModelAttempt | undefined;
  readonly options?: CheckedOptions | undefined;
  /** The other models to which it may be sent. */
  readonly fallback?: Fallback | undefined;
  /** The parts of the client that have to be loaded before it is sent. */
  readonly parts?: readonly Part<unknown>[] | undefined;
  /** Completes the body with what the parts provide. */
  readonly completeBody?: (() => Promise<string>) | undefined;
}

/** The method and the path template, which identify the endpoint in messages and in the ledger. */
export function routeOf({ method, template }: ApiRequest): string {
  return `${method} ${template}`;
}

/** Whether the client makes a call wait for a concurrency slot. A client with `concurrency: false` makes none wait. */
export function waitsForSlot({ usesSlot }: ApiRequest, { concurrency }: Config): boolean {
  return usesSlot === true && concurrency !== false;
}

/** How the requests to an endpoint are treated. */
export function callTo(endpoint: Endpoint, config: Config): ApiRequest {
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

/** The time limits of a call. */
export interface CallLimits {
  /** The time that one attempt may take, in ms. */
  readonly timeout: number;
  /** The time that the whole call may take, in ms; Infinity if it is not limited. */
  readonly totalTimeout: number;
  /** When `totalTimeout` ends, in monotonic ms. */
  readonly deadline: number;
}

/**
 * The time limits of a call that begins `now`, in monotonic ms. An option of the call takes precedence over the endpoint,
 * and the endpoint over the client. A call that is only a part of another one has the deadline of the whole.
 */
export function limitsOf(
  config: Pick<Config, 'timeout' | 'totalTimeout'>,
  now: number,
  options: Pick<CheckedOptions, 'timeout' | 'totalTimeout' | 'deadline'> = {},
  endpoint: Pick<ApiRequest, 'timeout'> = {},
): CallLimits {
  const { totalTimeout = config.totalTimeout ?? Infinity } = options;
  return {
    timeout: options.timeout ?? endpoint.timeout ?? config.timeout,
    totalTimeout,
    deadline: options.deadline ?? now + totalTimeout,
  };
}

/** The time in which a part of the client has to be loaded, in ms: no more than an attempt may take. */
export function loadTime({ timeout, totalTimeout }: CallLimits): number {
  return Math.min(timeout, totalTimeout);
}
