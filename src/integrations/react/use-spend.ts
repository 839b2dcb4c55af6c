import type { Spend } from 'polygate';
import { useCallback, useSyncExternalStore } from 'react';

import { nothingSpent, spendOf } from './store/models-store.ts';
import type { SpendGateway } from './store/models-store.ts';
import { useClient } from './use-store.ts';

const getInitial = () => nothingSpent;

/**
 * What the client has spent since the page was loaded. Unlike `gateway.spend`, the object is never modified.
 *
 * @example
 * ```tsx
 * const { totalUsd } = useSpend(gateway);
 * ```
 */
export function useSpend(gateway: SpendGateway): Spend {
  const client = useClient(gateway);
  const subscribe = useCallback((notify: () => void) => client.onSpend(notify), [client]);
  return useSyncExternalStore(subscribe, () => spendOf(client), getInitial);
}
