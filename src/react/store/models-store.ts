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

/** The models of one type. They are loaded once, for all components. */
export class ModelsStore extends StoreBase<ModelsSnapshot, undefined> {
  readonly #gateway: ModelsGateway;
  readonly #type: string | undefined;
  #loading: Promise<void> | undefined;

  constructor(gateway: ModelsGateway, type: string | undefined) {
    super(noModels, { current: undefined });
    this.#gateway = gateway;
    this.#type = type;
  }

  /** Loads the list again. Never rejects: see `error`. */
  refresh(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  protected attach(): () => void {
    if (this.snapshot.isLoading || this.snapshot.error) void this.refresh();
    return () => undefined;
  }

  async #load(): Promise<void> {
    this.show({ ...this.snapshot, isLoading: true });
    try {
      const { data } = await this.#gateway.models.list();
      const models = data.filter(({ type }) => this.#type === undefined || type === this.#type);
      this.show({ models, error: undefined, isLoading: false });
    } catch (error) {
      this.show({ ...this.snapshot, error: toError(error), isLoading: false });
    }
  }
}

const stores = new WeakMap<ModelsGateway, Map<string | undefined, ModelsStore>>();

/** The store that all components share. */
export function modelsStoreOf(gateway: ModelsGateway, type: string | undefined): ModelsStore {
  const byType = stores.get(gateway) ?? new Map<string | undefined, ModelsStore>();
  const store = byType.get(type) ?? new ModelsStore(gateway, type);
  stores.set(gateway, byType.set(type, store));
  return store;
}
