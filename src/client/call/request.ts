import type { Endpoint } from '../../wire/endpoints/endpoint.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { ResponseSchema } from '../../wire/types/schema.ts';
import { captureContext, throwToCaller } from '../config/caller.ts';
import type { Config } from '../config/config.ts';
import { Part } from '../http/part.ts';
import { fillPath } from '../http/path.ts';
import { callTo } from './api-request.ts';
import type { ApiRequest } from './api-request.ts';
import type { ClientContext } from './context.ts';
import { execute } from './execute.ts';
import { checkRequestOptions, noBodyRules } from './request-options.ts';
import type { RequestOptions } from './request-options.ts';
import { readJson, readWithSchema } from './response.ts';
import type { ApiResponse, ResponseReader } from './response.ts';

/** What a request without a body consists of, besides its endpoint. */
export interface RequestDetails {
  /** Values for the placeholders of the path template. */
  values?: Readonly<Record<string, unknown>> | undefined;
  /** Checks the query and returns it as a string with its leading `?`. An error that it throws rejects the promise. */
  query?: (() => string) | undefined;
}

/** A request without a body. */
export function withoutBody(
  endpoint: Endpoint,
  options: RequestOptions | undefined,
  { values, query }: RequestDetails = {},
): (config: Config) => ApiRequest {
  return (config) => ({
    ...callTo(endpoint, config),
    path: fillPath(endpoint.path, values) + (query?.() ?? ''),
    options: checkRequestOptions(options, noBodyRules),
  });
}

/** Starts a request whose response is one JSON document. */
export function requestJson<Result>(
  context: ClientContext,
  prepare: (config: Config) => ApiRequest,
  result: ResponseSchema<Result> | ResponseReader<Result>,
): RequestPromise<Result> {
  const handle = readJson(typeof result === 'function' ? result : readWithSchema(result));
  return startRequest(context, prepare, (prepared) => execute(context, prepared, handle));
}

/**
 * Starts a request and returns its promise, which an error of `prepare` rejects. `prepare` checks the arguments of a method
 * while it is called, and returns its request. `run` executes the request, and reads the response unless the caller wants it
 * unread.
 */
export function startRequest<Prepared extends ApiRequest, Result>(
  context: ClientContext,
  prepare: (config: Config) => Prepared,
  run: (prepared: Prepared) => Promise<ApiResponse<Result>>,
): RequestPromise<Result> {
  const prepared = runNow(() => prepare(context.config));
  const start = (isUnread: boolean) =>
    isUnread ? executeUnread(context, prepared()) : run(prepared());
  const enter = captureContext(context.config);
  return new RequestPromise((isUnread) => enter(() => start(isUnread)));
}

export const unreadBodies = /* @__PURE__ */ new Part(() => import('./unread-body.ts'));

/**
 * Executes a call and leaves the body to the caller. Aborting the caller's signal aborts the body, too. A call with a
 * concurrency slot holds it until the body ends.
 */
async function executeUnread(
  context: ClientContext,
  request: ApiRequest,
): Promise<ApiResponse<never>> {
  const { options, parts = [] } = request;
  const { data } = await execute(
    context,
    { ...request, parts: [...parts, unreadBodies] },
    async (received) => {
      const { keepBodyUnread, toUnreadResult } = await unreadBodies.load();
      return toUnreadResult(await keepBodyUnread(options?.signal)(received), received);
    },
  );
  return data;
}

/** Calls `work` now. The returned function returns its result or throws its error, so that a promise can reject with it. */
export function runNow<Result>(work: () => Result): () => Result {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** A result together with the response that it came from. */
export interface WithResponse<Result> {
  /** The result of the call. */
  data: Result;
  /** The response. Its body has already been read, or is being read by the returned stream. */
  response: Response;
  /** Metadata parsed from the response headers. */
  meta: ResponseMeta;
}

/** Executes a call. If `isUnread`, the body is left to the caller. */
type Start<Result> = (isUnread: boolean) => Promise<ApiResponse<Result>>;

// Not a closure, which would keep the request for as long as the promise is pending.
const dataOf = <Result>({ data }: ApiResponse<Result>): Result => data;

/** A promise of a result that also gives access to the response. The request is sent even if it is not awaited. */
export class RequestPromise<Result> extends Promise<Result> {
  readonly #mode: { isUnread: boolean };
  readonly #received: Promise<ApiResponse<Result>>;

  /** Promises returned by `then` are ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor(start: Start<Result>) {
    const mode = { isUnread: false };
    // Starts one microtask later, so that asResponse() in the same expression can still leave the body unread.
    const received = Promise.resolve().then(() => start(mode.isUnread));
    super((resolve, reject) => {
      // `resolve` is passed on as it is, because the engine can follow it to the functions that await this promise.
      received.then(dataOf, throwToCaller).then(resolve, reject);
    });
    this.#mode = mode;
    this.#received = received;
  }

  /** Resolves with the result, the response and its metadata. */
  async withResponse(): Promise<WithResponse<Result>> {
    this.catch(() => undefined);
    return this.#received.then(
      ({ data, response, meta }) => ({ data, response, meta: meta() }),
      throwToCaller,
    );
  }

  /**
   * Resolves with the response, its body unread. Call it immediately, in the same expression as the method:
   * `await gateway.models.list().asResponse()`.
   *
   * A streamed chat holds its concurrency slot until the body has ended: read the body or cancel it. A body that is
   * never read fails after the client's `streamIdleTimeout`.
   */
  async asResponse(): Promise<Response> {
    this.#mode.isUnread = true;
    this.catch(() => undefined);
    return this.#received.then(({ response }) => response, throwToCaller);
  }
}
