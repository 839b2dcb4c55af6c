import type { Generation, TaskHandle, TaskKind } from 'polygate';

import { unchecked } from '../../../wire/types/schema.ts';
import { damagedEntry, parseEntry, fingerprintOf } from './entry.ts';
import type { Entry } from './entry.ts';
import { failureOf } from './errors.ts';
import { idle, isPending, statusOf } from './generation-state.ts';
import type {
  GenerationNamespace,
  GenerationOptions,
  GenerationSnapshot,
  Succeeded,
} from './generation-state.ts';
import { StoreBase } from './store-base.ts';
import type { SettingsRef } from './store-base.ts';
import { StoredValue } from './stored-value.ts';

/** The options of a component, and its namespace. */
export interface GenerationSettings<Params, Kind extends TaskKind> extends GenerationOptions<Kind> {
  readonly namespace: GenerationNamespace<Params, Kind>;
}

/** A request: what is stored of it, and its params, which are not always stored. */
export interface GenerationRequest<Params> {
  readonly entry: Entry;
  readonly params: Params;
}

/** What is known of one generation, from this tab and from the storage that all tabs share. */
export abstract class EntryState<Params, Kind extends TaskKind> extends StoreBase<
  GenerationSnapshot<Kind>,
  GenerationSettings<Params, Kind>
> {
  protected readonly stored: StoredValue<Entry>;
  protected entry: Entry | undefined;
  protected task: TaskHandle<Kind> | undefined;
  protected error: Error | undefined;
  protected isStopped = false;
  /** Whether the key of the entry is in the storage. True if there is nothing to store. */
  protected isStored = true;
  /** Whether another tab is sending the request. */
  protected isElsewhere = false;
  /** The last request of this tab. */
  protected sent: GenerationRequest<Params> | undefined;
  /** Aborts the request that this tab is sending. */
  protected submitting: AbortController | undefined;
  /** Aborts a wait for the task, or for another tab. */
  protected waiting: AbortController | undefined;
  /** The key that the current entry has replaced. A tab that learns of that late can store the old entry again. */
  #replacedKey: string | undefined;
  /** Increases with each change of the entry, so that a read that started before does not undo it. */
  #version = 0;
  readonly #waiters = new Set<(result: Succeeded<Kind> | undefined) => void>();

  constructor(
    storageKey: string | undefined,
    settings: SettingsRef<GenerationSettings<Params, Kind>>,
  ) {
    super(idle, settings);
    this.stored = new StoredValue(
      storageKey,
      settings.current.storage,
      (text) =>
        parseEntry(text, (receipt) => this.settings.namespace.task(unchecked(receipt))) ??
        // A tab that knows its generation continues with that.
        (this.entry ? undefined : damagedEntry),
    );
  }

  get storageKey(): string | undefined {
    return this.stored.key;
  }

  /** The params of a request, if they are known, and still those that its key was made for. */
  protected paramsOf(entry: Entry | undefined): Params | undefined {
    const known = [unchecked<Params>(entry?.params), this.sent?.params];
    return known.find((params) => params && fingerprintOf(params) === entry?.fingerprint);
  }

  /** Makes another entry the current one. */
  protected replace(entry?: Entry): void {
    this.cancelWait();
    if (entry?.key !== this.entry?.key) this.#replacedKey = entry && this.entry?.key;
    this.entry = entry;
    this.#version += 1;
    this.task = undefined;
    this.error = undefined;
    this.isStopped = false;
    this.isStored = true;
  }

  protected cancelWait(): void {
    this.waiting?.abort();
    this.waiting = undefined;
    this.isElsewhere = false;
  }

  /** Reads what is stored. */
  protected async load(): Promise<void> {
    let stored: Entry | null | undefined;
    let version: number;
    do {
      version = this.#version;
      await this.stored.update((value, _, isOutdated) => {
        stored = isOutdated ? undefined : value;
      });
    } while (version !== this.#version);
    const { entry } = this;
    if (stored && entry && stored.key === this.#replacedKey) {
      await this.storeIfCurrent(entry.key, entry);
      return;
    }
    // A generation whose key could not be stored is known to this tab only.
    const isOnlyHere = entry && !entry.generation && !this.isStored;
    if (stored === undefined || (stored && isOnlyHere && stored.key !== entry.key)) return;
    this.#adopt(stored ?? undefined);
    this.isStored = true;
  }

  /** Stores a newer entry of the current task. Returns false if the generation was reset in the meantime. */
  protected async save(entry: Entry, error?: Error): Promise<boolean> {
    const isCurrent = (await this.storeIfCurrent(entry.key, entry)) || !this.isStored;
    if (this.entry?.key !== entry.key) return false;
    if (isCurrent) this.#adopt(entry, error);
    else await this.load();
    this.emit();
    return isCurrent;
  }

  /** Stores an entry, or removes it, unless another one is stored that it has not replaced. */
  protected async storeIfCurrent(key: string, entry: Entry | null): Promise<boolean> {
    let isCurrent = true;
    const isDone = await this.stored.update(async (stored, set, isOutdated) => {
      const known = [key, this.#replacedKey];
      isCurrent = isOutdated || stored === undefined || known.includes(stored?.key ?? '');
      if (isCurrent) await set(entry);
    });
    if (isDone && isCurrent && this.entry?.key === key) this.isStored = true;
    return isCurrent;
  }

  #adopt(entry: Entry | undefined, error?: Error): void {
    const before = this.entry;
    if (entry?.key !== before?.key) {
      // Another tab has reset the generation, or has started another one.
      if (before && before === this.sent?.entry) this.abortSubmit();
      this.replace(entry);
    } else if (entry && before) {
      const isOlder =
        (before.receipt && !entry.receipt) || (before.generation && !entry.generation);
      if (isOlder || JSON.stringify(entry) === JSON.stringify(before)) return;
      if (!before.receipt && entry.receipt) this.error = undefined;
      this.entry = entry;
      this.#version += 1;
    }
    if (entry?.receipt) {
      if (this.isElsewhere) this.cancelWait();
      this.task ??= this.openTask();
    }
    if (entry?.generation) {
      this.cancelWait();
      this.error = error ?? failureOf(entry.generation);
    }
  }

  /** A new handle of the task, which polls immediately. */
  protected openTask(): TaskHandle<Kind> | undefined {
    const receipt = this.entry?.receipt;
    return receipt && this.settings.namespace.task(unchecked(receipt));
  }

  protected abortSubmit(): void {
    this.submitting?.abort();
    this.submitting = undefined;
  }

  /** Shows the current state. */
  protected emit(): void {
    const isSubmitting = Boolean(this.submitting) || this.isElsewhere;
    const { entry, task, error, isStopped } = this;
    const status = statusOf({ entry, error, isStopped, isSubmitting });
    const shown = isSubmitting ? undefined : entry;
    const generation = unchecked<Generation<Kind> | undefined>(shown?.generation);
    this.show({
      status,
      progress: (generation ?? shown)?.progress,
      urls: generation?.urls ?? idle.urls,
      generation,
      task: shown && task,
      error: isSubmitting ? undefined : error,
      isPending: isPending(status),
      isStored: this.isStored,
    });
    if (!this.snapshot.isPending) this.settle(generation);
  }

  /** Resolves when nothing is pending, or when there is no component anymore. */
  protected settled(): Promise<Succeeded<Kind> | undefined> {
    return new Promise((resolve) => {
      this.#waiters.add(resolve);
      if (!this.attached) this.settle();
      this.emit();
    });
  }

  protected settle(generation?: Generation<Kind>): void {
    const result = generation?.status === 'succeeded' ? generation : undefined;
    for (const resolve of this.#waiters) resolve(result);
    this.#waiters.clear();
  }
}
