import { logError } from './slot-storage.ts';

/** The latest settings of a component. */
export interface SettingsRef<Settings> {
  readonly current: Settings;
}

/**
 * A state outside of components. It works while it has subscribers: between `attach` and the function that it returns.
 */
export abstract class StoreBase<Snapshot extends object, Settings> {
  #snapshot: Snapshot;
  #settings: SettingsRef<Settings>;
  readonly #subscribers = new Set<{
    readonly notify: () => void;
    readonly settings: SettingsRef<Settings>;
  }>();
  #detach: (() => void) | undefined;

  constructor(initial: Snapshot, settings: SettingsRef<Settings>) {
    this.#snapshot = initial;
    this.#settings = settings;
  }

  /** The current state. The object is never modified, and replaced only when a field changes. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Calls `notify` after each change, and keeps the store working until the returned function is called. */
  subscribe(notify: () => void, settings: SettingsRef<Settings>): () => void {
    const subscriber = { notify, settings };
    this.#subscribers.add(subscriber);
    this.#detach ??= this.attach();
    return () => {
      if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0) return;
      this.#settings = settings;
      this.#detach?.();
      this.#detach = undefined;
    };
  }

  protected get isAttached(): boolean {
    return this.#subscribers.size > 0;
  }

  /** The settings of all subscribers, the earliest first; after the last one has left, those of the last one. */
  protected get allSettings(): Settings[] {
    const all = Array.from(this.#subscribers, ({ settings }) => settings.current);
    return all.length > 0 ? all : [this.#settings.current];
  }

  /** The settings of the earliest subscriber. */
  protected get settings(): Settings {
    return this.allSettings[0] ?? this.#settings.current;
  }

  /** Calls a callback of the user. An error that it throws is logged. */
  protected call<Value>(callback: ((value: Value) => void) | undefined, value: Value): void {
    const run = async (): Promise<void> => callback?.(value);
    run().catch((error: unknown) => logError(`a callback threw: ${String(error)}`));
  }

  protected show(next: Snapshot): void {
    const isSame = (name: string) =>
      Object.is(Reflect.get(next, name), Reflect.get(this.#snapshot, name));
    if (Object.keys(next).every(isSame)) return;
    this.#snapshot = next;
    for (const { notify } of this.#subscribers) notify();
  }

  protected abstract attach(): () => void;
}
