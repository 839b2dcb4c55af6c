import { ConfigurationError } from '../../errors/configuration.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { throwToCaller } from './caller-stack.ts';
import type { ApiResponse } from './response.ts';

/** A result together with the response that it came from. */
export interface WithResponse<Result> {
  /** The result of the call. */
  data: Result;
  /** The response. Its body has already been read, or is being read by the returned stream. */
  response: Response;
  /** Metadata parsed from the response headers. */
  meta: ResponseMeta;
}

/** The two ways to execute a call. */
export interface CallModes<Result> {
  /** Reads the body and resolves with the result. */
  parsed: () => Promise<ApiResponse<Result>>;
  /** Leaves the body unread. */
  raw: () => Promise<Response>;
}

/** A promise of a result that also gives access to the response. The request is sent even if it is not awaited. */
export class RequestPromise<Result> extends Promise<Result> {
  readonly #mode: { raw: boolean };
  readonly #raw: Promise<Response | undefined>;
  readonly #parsed: Promise<ApiResponse<Result>>;

  /** Promises returned by `then` are ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor({ parsed, raw }: CallModes<Result>) {
    const mode = { raw: false };
    // Starts one microtask later, so that asResponse() in the same expression can still choose the raw mode.
    const rawResponse = Promise.resolve().then(() => (mode.raw ? raw() : undefined));
    const parsedResponse = rawResponse.then((response) => {
      if (response === undefined) return parsed();
      throw new ConfigurationError(
        'asResponse() was called, so there is no parsed result. To get both, call withResponse().',
      );
    });
    super((resolve, reject) => {
      // `resolve` is passed on as it is, because the engine can follow it to the functions that await this promise.
      parsedResponse.then(({ data }) => data, throwToCaller).then(resolve, reject);
    });
    this.#mode = mode;
    this.#raw = rawResponse;
    this.#parsed = parsedResponse;
  }

  /** Resolves with the result, the response and its metadata. */
  async withResponse(): Promise<WithResponse<Result>> {
    this.catch(() => undefined);
    return this.#parsed.catch(throwToCaller);
  }

  /**
   * Resolves with the response, its body unread. Call it immediately, in the same expression as the method:
   * `await gateway.models.list().asResponse()`.
   *
   * A streamed chat holds its concurrency slot until the body has ended: read the body or cancel it. A body that is
   * never read fails after the client's `streamIdleTimeout`.
   */
  async asResponse(): Promise<Response> {
    this.#mode.raw = true;
    this.catch(() => undefined);
    const response = this.#raw.then(async (raw) => raw ?? (await this.#parsed).response);
    return response.catch(throwToCaller);
  }
}
