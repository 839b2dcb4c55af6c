/** Where generations and chats are stored, such as `localStorage`, or `AsyncStorage` of React Native. */
export interface KeyValueStorage {
  /** Returns the text under a key; null if there is none. */
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Stores a text under a key. */
  setItem(key: string, value: string): unknown;
  /** Removes a key. */
  removeItem(key: string): unknown;
}

const ignore = () => undefined;

/** `console` is a logger like any other. */
const logger: Pick<Console, 'error' | 'warn'> | undefined = globalThis.console;

/** Logs an error that has no effect on the component. */
export const logError = (message: string): void => logger?.error(`polygate: ${message}`);

/** The browser's storage. Undefined on a server and in mobile apps, and where the user has blocked it. */
function browserStorage(): KeyValueStorage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/**
 * One key of a storage. Operations run one after the other. None of them rejects: with a storage that fails, it warns
 * once and reads as undefined, so that the caller keeps using its own memory.
 */
export class SlotStorage {
  readonly slot: string | undefined;
  readonly #given: KeyValueStorage | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Whether the last write has failed, so that the storage does not have what this tab knows. */
  #isBehind = false;
  #hasWarned = false;
  #channel: BroadcastChannel | undefined;

  constructor(slot: string | undefined, storage: KeyValueStorage | undefined) {
    this.slot = slot;
    this.#given = storage;
  }

  get #storage(): KeyValueStorage | undefined {
    return this.slot === undefined ? undefined : (this.#given ?? browserStorage());
  }

  /** The name of a lock that the tabs with this storage share. Undefined if no storage is shared. */
  lockName(part: string): string | undefined {
    return this.#storage && `${this.slot}:${part}`;
  }

  /** The stored text; null if there is none; undefined if it is not known. */
  read(): Promise<string | null | undefined> {
    return this.#enqueue(() => this.#get());
  }

  /** Stores a text, or removes the key. What was stored before may be lost: a full storage makes room for it. */
  write(text: string | null): Promise<void> {
    return this.#enqueue(async () => {
      if (text !== null && (await this.#set(text, ignore))) return;
      await this.#remove();
      if (text !== null) await this.#set(text);
    });
  }

  /**
   * Replaces the stored text by what `change` returns; null removes it. If it returns undefined, or the storage fails,
   * the stored text stays.
   */
  update(change: (text: string | null | undefined) => string | null | undefined): Promise<void> {
    return this.#enqueue(async () => {
      const text = change(await this.#get());
      if (text === null) await this.#remove();
      else if (text !== undefined) await this.#set(text);
    });
  }

  /** Calls `listener` when another tab may have changed the slot. The returned function stops that. */
  listen(listener: () => void): () => void {
    if (this.#storage === undefined) return ignore;
    const { window }: { window?: Partial<EventTarget> } = globalThis;
    const onStorage = ({ key = null }: Event & { key?: string | null }) => {
      if (key === null || key === this.slot) listener();
    };
    window?.addEventListener?.('storage', onStorage);
    // Only local storage has events of its own.
    const channel = globalThis.BroadcastChannel && new BroadcastChannel('polygate');
    this.#channel = channel;
    if (channel) {
      channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        if (data === this.slot) listener();
      });
    }
    return () => {
      window?.removeEventListener?.('storage', onStorage);
      // After the operations that are still running.
      void this.#enqueue(async () => {
        channel?.close();
        if (this.#channel === channel) this.#channel = undefined;
      });
    };
  }

  warn(message: string): void {
    if (!this.#hasWarned) logger?.warn(`polygate: ${message}`);
    this.#hasWarned = true;
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(ignore);
    return result;
  }

  async #get(): Promise<string | null | undefined> {
    let text: string | null | undefined;
    const isRead = await this.#attempt(async (storage, key) => {
      text = (await storage.getItem(key)) ?? null;
    });
    return isRead && !(text === null && this.#isBehind) ? text : undefined;
  }

  async #remove(): Promise<void> {
    await this.#attempt(async (storage, key) => storage.removeItem(key));
    this.#isBehind = false;
    this.#channel?.postMessage(this.slot);
  }

  async #set(text: string, onError?: () => void): Promise<boolean> {
    const isSet = await this.#attempt(async (storage, key) => storage.setItem(key, text), onError);
    this.#isBehind = !isSet;
    if (isSet) this.#channel?.postMessage(this.slot);
    return isSet;
  }

  /** Returns whether there is a storage and the operation succeeded. */
  async #attempt(
    work: (storage: KeyValueStorage, slot: string) => Promise<unknown>,
    onError = (error: unknown) =>
      this.warn(
        `the storage of ${this.slot} failed (${String(error)}). A reload can lose what is pending.`,
      ),
  ): Promise<boolean> {
    const storage = this.#storage;
    if (storage === undefined || this.slot === undefined) return false;
    try {
      await work(storage, this.slot);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }
}
