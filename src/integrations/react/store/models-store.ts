import type { Model, Models, Spend } from 'polygate';

import { toError } from './errors.ts';
import { StoreBase } from './store-base.ts';

/** A client with a list of models: `Polygate` or `ChatClient`. */
export interface ModelsGateway {
  /** Models available to the API key. */
  readonly models: Models;
}

/** What a component shows of the list of models. Never modified. */
export interface ModelsSnapshot {
  /** The models, empty until they are loaded. */
  readonly models: readonly Model[];
  /** Why the last request failed. */
  readonly error: Error | undefined;
  /** Whether the list is being loaded. */
  readonly isLoading: boolean;
}

/** The state before the list is loaded, and on a server. */
export const noModels: ModelsSnapshot = { models: [], error: undefined, isLoading: true };

/** The models of a client. They are loaded once, for all components. */
export class ModelsStore extends StoreBase<ModelsSnapshot, ModelsGateway> {
  #loading: Promise<void> | undefined;

  constructor(current: ModelsGateway) {
    super(noModels, { current });
  }

  /** Loads the list again. Never rejects: see `error`. */
  refresh(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
  }

  protected attach(): void {
    if (this.snapshot.isLoading || this.snapshot.error) void this.refresh();
  }

  async #load(): Promise<void> {
    this.show({ isLoading: true });
    const next: Partial<ModelsSnapshot> = await this.settings.models.list().then(
      ({ data: models }) => ({ models, error: undefined }),
      (error: unknown) => ({ error: toError(error) }),
    );
    this.show({ ...next, isLoading: false });
  }
}

const stores = new WeakMap<ModelsGateway, ModelsStore>();

/** The store that all components share. */
export function modelsStoreOf(gateway: ModelsGateway): ModelsStore {
  const store = stores.get(gateway) ?? new ModelsStore(gateway);
  stores.set(gateway, store);
  return store;
}

/** A client that counts what it spends: `Polygate` or `ChatClient`. */
export interface SpendGateway {
  /** Amounts spent so far. */
  readonly spend: Spend;
  /** Calls `listener` after each charge. */
  onSpend(listener: (spend: Spend) => void): () => void;
}

/** Nothing was spent, as on a server, whose clients can be shared by all users. */
export const nothingSpent: Spend = { totalUsd: 0, requests: 0, byModel: new Map() };

const snapshots = new WeakMap<SpendGateway, Spend>();

/** What a client has spent: an object that is never modified, and replaced only after a charge. */
export function spendOf(gateway: SpendGateway): Spend {
  const { totalUsd, requests, byModel } = gateway.spend;
  const before = snapshots.get(gateway) ?? nothingSpent;
  if (before.requests === requests && before.totalUsd === totalUsd) return before;
  const snapshot: Spend = { totalUsd, requests, byModel: new Map(byModel) };
  snapshots.set(gateway, snapshot);
  return snapshot;
}
