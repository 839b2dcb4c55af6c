import { APIError } from './api.ts';

/** 409: the request contradicts an earlier one, such as one idempotency key with two different bodies. */
export class ConflictError extends APIError {
  static override readonly className: string = 'ConflictError';
}
