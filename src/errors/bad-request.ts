import { APIError } from './api.ts';

/** 400: the request is not valid; `param` or the message names the field. Nothing was charged. */
export class BadRequestError extends APIError {
  static override readonly className: string = 'BadRequestError';
}
