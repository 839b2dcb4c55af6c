import { onPageEvent } from './wake.ts';

/** Where generations and chats are stored, such as `localStorage`, or `AsyncStorage` of React Native. */
export interface KeyValueStorage {
  /** Returns the text under a key; null if there is none. */
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Stores a text under a key. */
  setItem(key: string, value: string): unknown;
  /** Removes a key. */
  removeItem(key: string): unknown;
}

/** Logs a problem that has no effect on the component. `console` is a logger like any other. */
export function warn(problem: string): void {
  const logger: Pick<Console, 'warn'> | undefined = globalThis.console;
  logger?.warn(`polygate: ${problem}`);
}

/**
 * The value under one key of a storage that other tabs, and the user, can change at any time. Operations run one
 * after another. None of them rejects: if the storage fails, or contains something else, a warning is logged once and
 * the value reads as undefined, so that the caller continues with what it has in memory.
 */
export class StoredValue<Value> {
  readonly key: string | undefined;
  readonly #given: KeyValueStorage | undefined;
  readonly #parse: (text: string) => Value | undefined;
  #queue: Promise<void> = Promise.resolve();
  /** Whether the last write has failed, so that the storage does not have what this tab knows. */
  #isBehind = false;
  #hasWarned = false;
  #channel: BroadcastChannel | undefined;

  constructor(
    key: string | undefined,
    storage: KeyValueStorage | undefined,
    parse: (text: string) => Value | undefined,
  ) {
    this.key = key;
    this.#given = storage;
    this.#parse = parse;
  }

  /** The storage; `localStorage` by default. Undefined on a server and in mobile apps, and where it is blocked. */
  get #storage(): KeyValueStorage | undefined {
    try {
      return this.key === undefined ? undefined : (this.#given ?? globalThis.localStorage);
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  /** The name of a lock that the tabs with this storage share. Undefined if no storage is shared. */
  lockName(part: string): string | undefined {
    return this.#storage && `${this.key}:${part}`;
  }

  /** The stored value; null if there is none; undefined if it is not known. */
  async read(): Promise<Value | null | undefined> {
    let stored: Value | null | undefined;
    await this.update((value) => void (stored = value));
    return stored;
  }

  /** Replaces the stored value, even if there is only room for one. Null removes it. */
  write(value: Value | null): Promise<void> {
    return this.#enqueue((storage, key) =>
      this.#set(storage, key, value).catch(async () => {
        await storage.removeItem(key);
        await this.#set(storage, key, value);
      }),
    );
  }

  /** Replaces the stored value with what `change` returns. Null removes it; undefined keeps it. */
  update(change: (stored: Value | null | undefined) => Value | null | undefined): Promise<void> {
    return this.#enqueue(async (storage, key) => {
      const text = await storage.getItem(key);
      let stored: Value | null | undefined = this.#isBehind ? undefined : null;
      if (typeof text === 'string') {
        stored = this.#parse(text);
        if (stored === undefined) this.#warn('it lost an entry.');
      }
      const value = change(stored);
      if (value !== undefined) await this.#set(storage, key, value);
    });
  }

  /** Calls `listener` when another tab may have changed the value, until the signal aborts. */
  listen(listener: () => void, signal: AbortSignal): void {
    const { key } = this;
    if (!this.#storage) return;
    onPageEvent(
      'storage',
      (event) => {
        if (event.key === key || event.key === null) listener();
      },
      signal,
    );
    // Only local storage fires events.
    const channel = globalThis.BroadcastChannel && new BroadcastChannel('polygate');
    this.#channel = channel;
    channel?.addEventListener('message', ({ data }) => {
      if (data === key) listener();
    });
    // After the operations that are still running.
    signal.addEventListener('abort', () => {
      void this.#queue.then(() => {
        channel?.close();
        if (this.#channel === channel) this.#channel = undefined;
      });
    });
  }

  async #set(storage: KeyValueStorage, key: string, value: Value | null): Promise<void> {
    this.#isBehind = true;
    await (value ? storage.setItem(key, JSON.stringify(value)) : storage.removeItem(key));
    // Some storages drop values without an error.
    if (value && !(await storage.getItem(key))) throw new Error('it lost an entry.');
    this.#isBehind = false;
    this.#channel?.postMessage(key);
  }

  #enqueue(work: (storage: KeyValueStorage, key: string) => Promise<void>): Promise<void> {
    const { key } = this;
    const result = this.#queue.then(async () => {
      const storage = this.#storage;
      if (storage && key !== undefined) await work(storage, key);
    });
    return (this.#queue = result.catch((error: unknown) => this.#warn(error)));
  }

  #warn(problem: unknown): void {
    if (!this.#hasWarned) warn(`the storage of ${this.key} failed: ${String(problem)}`);
    this.#hasWarned = true;
  }
}
