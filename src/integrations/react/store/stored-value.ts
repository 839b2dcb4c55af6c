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

/** What `update` calls. */
type Change<Value> = (
  stored: Value | null | undefined,
  set: (value: Value | null) => Promise<void>,
  /** Whether the stored value is the one that the last write failed to replace. */
  isOutdated: boolean,
) => Promise<void> | void;

/**
 * The value under one key of a storage that other tabs, and the user, can change at any time. Operations run one
 * after another. None of them rejects: if the storage fails, or contains something else, a warning is logged once and
 * the value reads as undefined, so that the caller continues with what it has in memory.
 */
export class StoredValue<Value> {
  readonly key: string | undefined;
  readonly #given: KeyValueStorage | undefined;
  readonly #parse: (text: string) => Value | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** What the storage had last; undefined if it is not known. */
  #text: string | null | undefined;
  /** Whether the last write has failed, so that the storage has less than this tab knows. */
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

  /**
   * Calls `change` with the stored value, and with a function that replaces it, or rejects and leaves it as it is.
   * Resolves to whether `change` did not reject.
   */
  update(change: Change<Value>): Promise<boolean> {
    const { key = '' } = this;
    const work = async (): Promise<boolean> => {
      let storage = this.#storage;
      let stored: Value | null | undefined;
      try {
        const text = storage && ((await storage.getItem(key)) ?? null);
        stored = typeof text === 'string' ? this.#parse(text) : text;
        if (storage && stored === undefined) this.#warn('it lost an entry.');
        this.#isBehind &&= text === this.#text;
        this.#text = text;
      } catch (error) {
        this.#warn(error);
        storage = undefined;
      }
      const set = async (value: Value | null): Promise<void> => {
        if (!storage) throw new Error('unavailable');
        const next = value && JSON.stringify(value);
        await (next === null ? storage.removeItem(key) : storage.setItem(key, next));
        const after = (await storage.getItem(key)) ?? null;
        // Some storages drop values without an error.
        if (after !== next && (after === null || after === this.#text)) {
          throw new Error('it lost an entry.');
        }
        this.#text = next;
        this.#isBehind = false;
        this.#channel?.postMessage(key);
      };
      try {
        await change(stored, set, this.#isBehind);
        return true;
      } catch (error) {
        this.#isBehind = true;
        if (storage) this.#warn(error);
        return false;
      }
    };
    const result = this.#queue.then(work);
    this.#queue = result;
    return result;
  }

  /**
   * Calls `listener` when another tab may have changed the value, until the signal aborts: with the value that it has
   * stored, if that is known. The storage can show it later, or not at all if this tab has replaced it.
   */
  listen(listener: (value?: Value) => void, signal: AbortSignal): void {
    const { key } = this;
    const storage = this.#storage;
    if (!storage) return;
    onPageEvent(
      'storage',
      (event) => {
        if (event.key !== key && event.key !== null) return;
        const text = event.storageArea === storage && event.newValue;
        listener(text ? this.#parse(text) : undefined);
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

  #warn(problem: unknown): void {
    if (!this.#hasWarned) warn(`the storage of ${this.key} failed: ${String(problem)}`);
    this.#hasWarned = true;
  }
}

/** Calls `listener` at each event of the page, until the signal aborts. */
export function onPageEvent(
  name: string,
  listener: (event: Event & Partial<StorageEvent>) => void,
  signal: AbortSignal,
): void {
  // Mobile apps have a `window` without events.
  const { window }: { window?: Partial<EventTarget> } = globalThis;
  window?.addEventListener?.(name, listener, { signal });
}

/** Calls `listener` when the browser is online again, and when the page is shown again, until the signal aborts. */
export function onWake(listener: () => void, signal: AbortSignal): void {
  onPageEvent('online', listener, signal);
  // It bubbles from the document.
  onPageEvent('visibilitychange', () => !document.hidden && listener(), signal);
}

/** The locks that the tabs of a browser share; undefined where there are none. */
const sharedLocks = (): LockManager | undefined => globalThis.navigator?.locks;

/** The locks that this tab and others have; empty where they cannot be read. */
export async function heldLocks(): Promise<LockInfo[]> {
  const locks = sharedLocks();
  const state = await locks?.query().catch(() => undefined);
  return state?.held ?? [];
}

/**
 * Runs `work` while no other tab runs work under this name. Does nothing if the signal aborts before it has the lock,
 * which `steal` takes from the tab that has it. Calls `lost` when another tab steals it. `work` must not reject.
 */
export async function withLock(
  name: string | undefined,
  { signal, steal }: { readonly signal: AbortSignal; readonly steal?: boolean },
  work: () => Promise<void>,
  lost?: () => void,
): Promise<void> {
  const locks = sharedLocks();
  let running: Promise<void> | undefined;
  const run = () => (running = work());
  try {
    // A lock cannot be stolen with a signal.
    await (name && locks ? locks.request(name, steal ? { steal } : { signal }, run) : run());
  } catch {
    if (running) lost?.();
    // Some pages may not use locks.
    else if (!signal.aborted) await run();
  }
}
