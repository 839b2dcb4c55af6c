import type { Model, OpenString } from 'polygate';
import { useCallback, useMemo, useSyncExternalStore } from 'react';

import { modelsStoreOf, noModels } from './store/models-store.ts';
import type { ModelsGateway, ModelsSnapshot } from './store/models-store.ts';
import { useClient } from './use-store.ts';

/** What `useModels` returns. */
export interface UseModels extends ModelsSnapshot {
  /** Loads the list again. Never rejects; see `error`. */
  refresh: () => Promise<void>;
}

const getInitial = () => noModels;

/**
 * The models that the API key can use, of one type, such as `image`. They are loaded once for all components.
 *
 * @example
 * ```tsx
 * const { models } = useModels(gateway, { type: 'chat' });
 * ```
 */
export function useModels(
  gateway: ModelsGateway,
  { type }: { type?: OpenString<NonNullable<Model['type']>> | undefined } = {},
): UseModels {
  const client = useClient(gateway);
  const store = modelsStoreOf(client);
  const subscribe = useCallback(
    (notify: () => void) => store.subscribe(notify, { current: client }),
    [store, client],
  );
  const snapshot = useSyncExternalStore(subscribe, () => store.snapshot, getInitial);
  return useMemo(
    () => ({
      ...snapshot,
      models: snapshot.models.filter((model) => !type || model.type === type),
      refresh: () => store.refresh(),
    }),
    [snapshot, store, type],
  );
}
