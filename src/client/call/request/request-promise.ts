import type { ResponseMeta } from '../../../wire/types/meta.ts';
import { throwToCaller } from '../caller-stack.ts';
import type { ApiResponse } from '../response.ts';

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
