import type { Model, Models } from 'polygate';

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
