import { unchecked } from '../../../wire/types/schema.ts';
import { warn } from './stored-value.ts';

/** The latest settings of a component. */
export interface SettingsRef<Settings> {
  readonly current: Settings;
}

/** A state outside of components. It works while it has subscribers: from `attach` until the signal aborts. */
export abstract class StoreBase<Snapshot extends object, Settings> {
  #snapshot: Snapshot;
  #settings: SettingsRef<Settings>;
  readonly #subscribers = new Set<{
    readonly notify: () => void;
    readonly settings: SettingsRef<Settings>;
  }>();
  #attached: AbortController | undefined;

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
    if (!this.#attached) {
      this.#attached = new AbortController();
      this.attach(this.#attached.signal);
    }
    return () => {
      if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0) return;
      this.#settings = settings;
      this.#attached?.abort();
      this.#attached = undefined;
      this.detach();
    };
  }

  /** The signal that `attach` got, while there are subscribers. */
  protected get attached(): AbortSignal | undefined {
    return this.#attached?.signal;
  }

  /** The settings of the earliest subscriber; after the last one has left, its settings. */
  protected get settings(): Settings {
    const [first] = this.#subscribers;
    return (first?.settings ?? this.#settings).current;
  }

  /** Calls a callback in the settings of the earliest subscriber that has one. An error that it throws is logged. */
  protected call<Name extends keyof Settings>(
    name: Name,
    value: Settings[Name] extends ((value: infer Value) => void) | undefined ? Value : never,
  ): void {
    const own = [...this.#subscribers].find(({ settings }) => settings.current[name]);
    const callback = unchecked<((value: unknown) => void) | undefined>(
      (own?.settings.current ?? this.settings)[name],
    );
    const run = async (): Promise<void> => callback?.(value);
    run().catch((error: unknown) => warn(`${String(name)} threw: ${String(error)}`));
  }

  protected show(changes: Partial<Snapshot>): void {
    const isSame = (name: string) =>
      Object.is(Reflect.get(changes, name), Reflect.get(this.#snapshot, name));
    if (Object.keys(changes).every(isSame)) return;
    this.#snapshot = { ...this.#snapshot, ...changes };
    for (const { notify } of this.#subscribers) notify();
  }

  protected abstract attach(signal: AbortSignal): void;

  /** Called when the last subscriber has left. */
  protected detach(): void {
    // Most stores have nothing to do.
  }
}

/** Calls `draw` at most once per animation frame, however often the returned function is called. */
export function oncePerFrame(draw: () => void): () => void {
  let isScheduled = false;
  const run = () => {
    isScheduled = false;
    draw();
  };
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    const {
      requestAnimationFrame: request,
    }: { requestAnimationFrame?: (callback: () => void, ms: number) => unknown } = globalThis;
    (request ?? setTimeout)(run, 16);
  };
}

/** Waits, but no longer than until the signal aborts. */
export const rest = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal?.addEventListener('abort', resolve);
  });
