import type { UserBudget } from 'polygate/proxy';

import { unchecked } from '../../../wire/types/schema.ts';
import { toError } from './errors.ts';
import type { SpendGateway } from './models-store.ts';
import { rest, StoreBase } from './store-base.ts';
import type { SettingsRef } from './store-base.ts';
import { onWake } from './stored-value.ts';

/** Options of `useBudget`. */
export interface BudgetOptions {
  /** Where the proxy serves the budget: the path that is its `budgetPath`, or the URL on another origin. */
  url: string;
  /** The client of the page: after each of its charges, the budget is loaded again. */
  client?: SpendGateway | undefined;
  /**
   * Sends the request, for example with a header that identifies the user.
   * @defaultValue the global `fetch`, which sends cookies to the origin of the page
   */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** What a component shows of a budget. Never modified. */
export interface BudgetSnapshot {
  /** What is left; undefined until it is loaded, and after a 401. */
  readonly budget: UserBudget | undefined;
  /** Why the last request failed, with the `status` and `code` of the response. */
  readonly error:
    | (Error & { readonly status?: number; readonly code?: string | undefined })
    | undefined;
  /** Whether the budget is being loaded. */
  readonly isLoading: boolean;
}

/** The state before the budget is loaded, and on a server. */
const noBudget: BudgetSnapshot = { budget: undefined, error: undefined, isLoading: true };

/** The budget at a URL. All components share it, and nothing is stored. */
export class BudgetStore extends StoreBase<BudgetSnapshot, BudgetOptions> {
  readonly storageKey: string | undefined;
  #windowTimer: ReturnType<typeof setTimeout> | undefined;
  #paused: Promise<unknown> | undefined;
  #next: Promise<void> | undefined;

  constructor(storageKey: string | undefined, settings: SettingsRef<BudgetOptions>) {
    super(noBudget, settings);
    this.storageKey = storageKey;
  }

  /** Loads the budget again, with a request that starts later: one in flight may not know of the last charge. */
  async refresh(): Promise<void> {
    return (this.#next ??= this.#loadNext());
  }

  protected attach(signal: AbortSignal): void {
    const refresh = () => void this.refresh();
    const stop = this.settings.client?.onSpend(refresh);
    this.#paused = undefined;
    onWake(refresh, signal);
    signal.addEventListener('abort', () => {
      stop?.();
      clearTimeout(this.#windowTimer);
      // The next component may belong to another user.
      this.show(noBudget);
    });
    refresh();
  }

  async #loadNext(): Promise<void> {
    await this.#paused;
    this.#next = undefined;
    const loaded = this.#load();
    // So that many charges cause few requests.
    this.#paused = loaded.then(() => rest(1_000));
    return loaded;
  }

  async #load(): Promise<void> {
    const signal = this.attached;
    if (!signal) return;
    this.show({ isLoading: true });
    const { url, fetch: send = fetch } = this.settings;
    let changes: Partial<BudgetSnapshot>;
    try {
      const response = await send(url, { signal });
      const { status, ok } = response;
      const body = unchecked<(UserBudget & { error?: object }) | null>(
        await response.json().catch(() => null),
      );
      const error = new Error(`No budget at ${url}: status ${status}`);
      if (ok && body) {
        changes = { budget: body, error: undefined };
      } else {
        // The error of the proxy has a message and a code.
        Object.assign(error, body?.error, { status });
        changes = { ...(status === 401 && noBudget), error };
      }
    } catch (reason) {
      changes = { error: toError(reason) };
    }
    if (signal.aborted) return;
    this.show({ ...changes, isLoading: false });
    const wait = changes.budget?.reloadInMs;
    if (!wait) return;
    clearTimeout(this.#windowTimer);
    this.#windowTimer = setTimeout(() => {
      // A page that is hidden loads the budget when it is shown again.
      if (!globalThis.document?.hidden) void this.refresh();
    }, wait);
  }
}
