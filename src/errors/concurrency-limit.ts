import { RateLimitError } from './rate-limit.ts';

/** Too many requests at once: no slot came free in time (`maxQueueTime`). Nothing was charged. */
export class ConcurrencyLimitError extends RateLimitError {
  static override readonly className: string = 'ConcurrencyLimitError';
}
