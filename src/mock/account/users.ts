import type { KeyState, MockKey } from '../options.ts';
import type { Key, User } from '../state.ts';
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

  constructor(keys: readonly MockKey[] | undefined, walletUsd: number) {
    this.#walletUsd = walletUsd;
    this.anonymous = newUser('anonymous', 0, 0);
    const [first = demoKey, ...others] = keys ?? [];
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
