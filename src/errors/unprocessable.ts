import { APIError } from './api.ts';

/** 422: the request is well formed and still cannot be carried out. */
export class UnprocessableError extends APIError {
  static override readonly className: string = 'UnprocessableError';
}
