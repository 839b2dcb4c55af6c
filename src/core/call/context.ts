import type { Config } from '../config/config.ts';
import { ConcurrencyLimiter } from '../limits/concurrency-limiter.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { Ledger } from '../limits/ledger.ts';
import { PollLimiter } from '../limits/poll-limiter.ts';
import { RetryBudget } from '../limits/retry-budget.ts';

/** What every call of one client needs. */
export interface ClientContext {
  readonly config: Config;
  readonly shared: SharedState;
}

/** State of one account, shared by a client and all clients derived from it with `withOptions`. */
export interface SharedState {
  readonly ledger: Ledger;
  readonly retryBudget: RetryBudget;
  readonly concurrency: ConcurrencyLimiter;
  readonly polls: PollLimiter;
  /** Prices by model id, as `models.list` and `models.retrieve` returned them. */
  readonly prices: Map<string, KnownPrices>;
  /** The poll path template that last worked, by kind of task. */
  readonly pollTemplates: Map<string, string>;
}

/** Creates the context of a client. Without `shared`, it starts with empty state. */
export function createContext(config: Config, shared = createSharedState(config)): ClientContext {
  return { config, shared };
}

function createSharedState({ clock }: Config): SharedState {
  return {
    ledger: new Ledger(),
    retryBudget: new RetryBudget(),
    concurrency: new ConcurrencyLimiter(clock),
    polls: new PollLimiter(clock),
    prices: new Map(),
    pollTemplates: new Map(),
  };
}
