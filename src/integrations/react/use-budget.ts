import { BudgetStore } from './store/budget-store.ts';
import type { BudgetOptions, BudgetSnapshot } from './store/budget-store.ts';
import { useClient, useStore } from './use-store.ts';

/** What `useBudget` returns. */
export interface UseBudget extends BudgetSnapshot {
  /** Loads the budget again, at most once per second. Never rejects; see `error`. */
  refresh: () => Promise<void>;
}

/**
 * What is left of the limits of the user, from a proxy with `budgetPath`. It is loaded once for all components, and
 * again after each charge of `client`, when the page is shown again, and at the end of the window.
 *
 * @example
 * ```tsx
 * const { budget } = useBudget({ url: '/api/gateway/budget', client: gateway });
 * ```
 */
export function useBudget(options: BudgetOptions): UseBudget {
  useClient(options.client);
  return useStore('budget', options.url, options, BudgetStore, (store) => ({
    refresh: () => store().refresh(),
  }));
}
