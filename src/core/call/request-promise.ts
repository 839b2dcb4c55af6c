import { ConfigurationError } from '../../errors/configuration.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { ApiResponse } from './response.ts';

/** A result together with the answer it came in. */
export interface WithResponse<Result> {
  /** The result of the call. */
  data: Result;
  /** The answer; its body has been read. */
  response: Response;
  /** What its headers tell. */
  meta: ResponseMeta;
}

/** The two ways to run a call: read its body, or leave the body to the caller. */
export interface CallModes<Result> {
  parsed: () => Promise<ApiResponse<Result>>;
  raw: () => Promise<ApiResponse<undefined>>;
}

/** The promise of a result, which can also give the raw answer. The request leaves at once, awaited or not. */
export class RequestPromise<Result> extends Promise<Result> {
  readonly #claim: { body: boolean };
  readonly #left: Promise<ApiResponse<undefined> | undefined>;
  readonly #answer: Promise<ApiResponse<Result>>;

  /** Promises derived with `then` are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor({ parsed: read, raw: leave }: CallModes<Result>) {
    const claim = { body: false };
    // One turn later, so that asResponse() in the same expression can claim the body.
    const left = Promise.resolve().then(() => (claim.body ? leave() : undefined));
    const answer = left.then((taken) => {
      if (taken === undefined) return read();
      throw new ConfigurationError('asResponse() has taken the body of this answer.');
    });
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#claim = claim;
    this.#left = left;
    this.#answer = answer;
  }

  /** The result with the answer it came in: status, headers, and what they tell. */
  async withResponse(): Promise<WithResponse<Result>> {
    this.catch(() => undefined);
    return this.#answer;
  }

  /** The answer with its body unread. Ask where the call is made: `await gateway.models.list().asResponse()`. */
  async asResponse(): Promise<Response> {
    this.#claim.body = true;
    this.catch(() => undefined);
    const { response } = (await this.#left) ?? (await this.#answer);
    return response;
  }
}
