import { APIError } from './api.ts';

/** 429: too many requests. `retryAfterMs` says how long to wait, when the service tells. */
export class RateLimitError extends APIError {
  static override readonly className: string = 'RateLimitError';
}
