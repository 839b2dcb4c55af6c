import { GatewayError } from '../http/response/gateway-error.ts';
import type { Caller, Key, User } from '../state.ts';

/** A concurrency slot that a request holds. */
export interface Slot {
  /** The documented concurrency headers, as of the moment the slot was acquired. */
  headers: Record<string, string>;
  /** Frees the slot. Later calls do nothing. */
  release: () => void;
}

/** The tier of accounts without their own limit. Specification: Limits. */
export const defaultTier = { id: 'tier_enterprise', concurrency: 8 } as const;

/** The concurrency slots of all users. Specification: Limits. */
export class Slots {
  limit: number;
  source: string;
  /** The highest number of slots held at the same time. */
  peak = 0;
  #inFlight = 0;

  constructor(limit: number, source: string) {
    this.limit = limit;
    this.source = source;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns the limit of a key and the rule that sets it. */
  limitFor(key: Key | undefined): { limit: number; source: string } {
    if (key?.limit !== undefined) return { limit: key.limit, source: 'api_key_override' };
    return { limit: this.limit, source: this.source };
  }

  /** Acquires a slot, or throws a 429. `heldByTasks` slots of the user are not available. */
  acquire({ user, key }: Caller, heldByTasks: number): Slot {
    const { limit, source } = this.limitFor(key);
    const free = limit - user.inFlight - heldByTasks;
    const headers = (remaining: number): Record<string, string> => ({
      'x-svc-concurrency-limit': String(limit),
      'x-svc-concurrency-remaining': String(Math.max(0, remaining)),
      'x-svc-concurrency-source': source,
    });
    if (free <= 0) {
      const message = `The concurrency limit of ${limit} has been reached. Retry when another request has finished.`;
      const errorHeaders = { ...headers(0), 'retry-after': '1' };
      throw new GatewayError(429, 'concurrency_limit_exceeded', message, errorHeaders);
    }
    return { headers: headers(free - 1), release: this.#take(user) };
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
