import type { KeyState } from '../gateway.ts';
import { GatewayError } from '../http/response.ts';
import type { MockKey } from '../options.ts';
import type { Key, User, Caller } from '../state.ts';
import { roundUsd } from './money.ts';

/** The key of a gateway that is created without keys. */
const demoKey: MockKey = { key: 'sk-mock-demo', user: 'demo' };

/** All keys and their owners. */
export class Users {
  readonly #keys = new Map<string, Key>();
  readonly #users = new Map<string, User>();
  readonly #walletUsd: number;
  /** The first key; `mock.apiKey`. */
  readonly first: Key;
  /** The user of requests to public endpoints. */
  readonly anonymous: User;

  constructor(keys: readonly MockKey[], walletUsd: number) {
    this.#walletUsd = walletUsd;
    this.anonymous = newUser('anonymous', 0, 0);
    const [first = demoKey, ...others] = keys;
    this.first = this.#add(first);
    for (const key of others) this.#add(key);
  }

  find(key: string): Key | undefined {
    return this.#keys.get(key);
  }

  get all(): Iterable<User> {
    return this.#users.values();
  }

  get keys(): Iterable<Key> {
    return this.#keys.values();
  }

  /** Sets the balance of the first key's owner. */
  setBalance(usd: number): void {
    if (!Number.isFinite(usd) || usd < 0) {
      throw new Error('The balance of a wallet must be a finite number of at least 0');
    }
    this.first.user.balanceUsd = roundUsd(usd);
  }

  setState(key: string, state: KeyState): void {
    const found = this.#keys.get(key);
    if (found === undefined) throw new Error('The mock gateway has no such API key');
    found.state = state;
  }

  #add(entry: MockKey): Key {
    const { key, user: owner = 'demo', state = 'enabled', concurrencyLimit: limit } = entry;
    const user = this.named(owner);
    const added: Key = { key, number: this.#keys.size + 1, user, state, spentUsd: 0, limit };
    this.#keys.set(key, added);
    return added;
  }

  /** Returns the user with this name, and creates it if there is none. */
  named(owner: string | number): User {
    const name = String(owner);
    const existing = this.#users.get(name);
    if (existing !== undefined) return existing;
    const number = typeof owner === 'number' ? owner : 1001 + this.#users.size;
    const user = newUser(name, number, this.#walletUsd);
    this.#users.set(name, user);
    return user;
  }
}

function newUser(name: string, number: number, balanceUsd: number): User {
  return {
    name,
    number,
    balanceUsd,
    spentUsd: 0,
    inFlight: 0,
    pendingTasks: new Set(),
    idempotencyRecords: new Map(),
    voices: new Map(),
  };
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

  /**
   * Acquires a slot, or throws a 429. `heldByTasks` slots of the user are not available. Returns the concurrency headers
   * as of now, and a function that frees the slot; later calls of it do nothing.
   */
  acquire(
    { user, key }: Caller,
    heldByTasks: number,
  ): { headers: Record<string, string>; release: () => void } {
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
