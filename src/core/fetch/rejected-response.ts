import { APIError } from '../../errors/api.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { ResponseMeta } from '../../types/meta.ts';
import type { AttemptObserver } from '../call/api-call.ts';
import type { Rejection } from './rejection.ts';

/**
 * The response to the last attempt of a call that led to an error, with its body unread: `fetch` resolves with it where a
 * method of the client throws the error. Its steps:
 *
 * 1. The attempt calls `onRejection` before it reads the body for its error, so that a clone can be kept. If a successful
 *    response turns out to be invalid, `readResponse` keeps a copy that has the text instead.
 * 2. The time limit of the attempt does not abort the request after such an error (`isPassedOn`), because that would also
 *    end the body of the clone.
 * 3. If another attempt is sent, `onSend` drops the clone: its body is canceled, which frees the connection.
 * 4. When the call has failed, `behind` returns the clone if the error is that of the response, and `sendFetch` resolves
 *    with it. Otherwise, `sendFetch` drops it and throws the error.
 */
export class RejectedResponse implements AttemptObserver {
  #last: { readonly response: Response; readonly meta: ResponseMeta } | undefined;

  onSend(): void {
    this.drop();
  }

  onRejection(response: Response, meta: ResponseMeta): void {
    this.keep(response.clone(), meta);
  }

  /** Keeps a response, or a copy of it. `meta` is the metadata that its error has. */
  keep(response: Response, meta: ResponseMeta): void {
    this.drop();
    this.#last = { response, meta };
  }

  /** Forgets the response and frees its connection. */
  drop(): void {
    this.#last?.response.body?.cancel().catch(() => undefined);
    this.#last = undefined;
  }

  /**
   * The rejection that has ended a call with this error; undefined if the error is not that of the response, for example
   * because the connection was lost. The error itself is then the result. A call that found no free slot, but may have been
   * charged, has its last error status: libraries repeat a request that rejects, and only a response can keep them from it.
   */
  behind(error: unknown): Rejection | undefined {
    const isOfResponse = error instanceof APIError || error instanceof ResponseValidationError;
    if (!this.#last || !isOfResponse) return undefined;
    const { response, meta } = this.#last;
    const mayBeCharged = error.outcome === 'unknown' && !response.ok;
    // The metadata of a response is parsed once, so that the same object means the same response.
    return error.meta === meta || mayBeCharged ? { response, meta, error } : undefined;
  }
}
