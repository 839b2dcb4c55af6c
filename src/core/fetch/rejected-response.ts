import { APIError } from '../../errors/api.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { AttemptObserver } from '../call/api-call.ts';

/** An error that a response has led to. */
type ResponseError = APIError | ResponseValidationError;

/**
 * The unsuccessful response to the last attempt of a call, with its body unread: `fetch` resolves with it where a
 * method of the client throws an error.
 */
export class RejectedResponse implements AttemptObserver {
  #response: Response | undefined;

  onSend(): void {
    this.drop();
  }

  onRejection(response: Response): void {
    this.keep(response.clone());
  }

  keep(response: Response): void {
    this.drop();
    this.#response = response;
  }

  /** Forgets the response and frees its connection. */
  drop(): void {
    this.#response?.body?.cancel().catch(() => undefined);
    this.#response = undefined;
  }

  /**
   * The response that has led to the error that ended the call. There is none if the error has no response of the same
   * status, for example if the connection was lost: the error itself is then the result.
   */
  of(error: ResponseError): Response | undefined {
    return this.#response?.status === error.meta.status ? this.#response : undefined;
  }
}

export function isResponseError(error: unknown): error is ResponseError {
  return error instanceof APIError || error instanceof ResponseValidationError;
}
