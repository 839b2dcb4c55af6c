import type { KeyState, MockKey } from '../options.ts';
import type { Key, User } from './state.ts';

/** The key of a gateway that was given none. */
const demoKey: MockKey = { key: 'sk-mock-demo', user: 'demo' };

/** Who may call. */
export class Users {
  readonly #keys = new Map<string, Key>();
  readonly #users = new Map<string, User>();
  readonly #walletUsd: number;
  /** The first key. */
  readonly first: Key;
  /** Stands in for a user on public endpoints. */
  readonly anonymous: User;

  constructor(keys: readonly MockKey[] | undefined, walletUsd: number) {
    this.#walletUsd = walletUsd;
    this.anonymous = newUser('nobody', 0, 0);
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

  setState(key: string, state: KeyState): void {
    const found = this.#keys.get(key);
    if (found === undefined) throw new Error('The gateway does not know this key');
    found.state = state;
  }

  #add(entry: MockKey): Key {
    const { key, user: owner = 'demo', state = 'enabled', concurrencyLimit: limit } = entry;
    const user = this.#user(owner);
    const added: Key = { key, number: this.#keys.size + 1, user, state, spentUsd: 0, limit };
    this.#keys.set(key, added);
    return added;
  }

  #user(owner: string | number): User {
    const name = String(owner);
    const known = this.#users.get(name);
    if (known !== undefined) return known;
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
