import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import type { Key, User } from './state.ts';

/** A place among the requests that run at once. */
export interface Slot {
  /** The documented headers, as of the admission. */
  headers: Record<string, string>;
  /** Gives the place back; a second time does nothing. */
  release: () => void;
}

/** The tier of every account that has no limit of its own. Specification: Limits. */
export const defaultTier = { id: 'tier_enterprise', concurrency: 8 } as const;

/** The places that a user's requests share. Specification: Limits. */
export class Slots {
  limit: number;
  source: string;
  /** The most requests that ever held a place at once. */
  peak = 0;
  #inFlight = 0;

  constructor(limit: number, source: string) {
    this.limit = limit;
    this.source = source;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The limit of a key and the rule that it comes from. */
  limitFor(key: Key | undefined): { limit: number; source: string } {
    if (key?.limit !== undefined) return { limit: key.limit, source: 'api_key_override' };
    return { limit: this.limit, source: this.source };
  }

  /** Lets a request in, or refuses it with 429. */
  acquire(call: RequestContext, held: number): Slot {
    const { limit, source } = this.limitFor(call.key);
    const free = limit - call.user.inFlight - held;
    const headers = (remaining: number): Record<string, string> => ({
      'x-svc-concurrency-limit': String(limit),
      'x-svc-concurrency-remaining': String(Math.max(0, remaining)),
      'x-svc-concurrency-source': source,
    });
    if (free <= 0) {
      const message = `The concurrency limit of ${limit} is reached`;
      const retry = { ...headers(0), 'retry-after': '1' };
      throw new GatewayError(429, 'concurrency_limit_exceeded', message, retry);
    }
    return { headers: headers(free - 1), release: this.#take(call.user) };
  }

  #take(user: User): () => void {
    user.inFlight += 1;
    this.#inFlight += 1;
    this.peak = Math.max(this.peak, this.#inFlight);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      user.inFlight -= 1;
      this.#inFlight -= 1;
    };
  }
}
