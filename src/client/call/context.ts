import type { Config } from '../config/config.ts';
import type { Part } from '../http/part.ts';
import type { Transport } from '../http/transport.ts';
import { ClientSlots, createConcurrencyLimiter } from '../limits/concurrency.ts';
import type { ConcurrencyLimiter } from '../limits/concurrency.ts';
import { createLedger } from '../limits/ledger.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { PollLimiter } from '../limits/poll-limiter.ts';
import type { KnownPrices } from '../limits/prices.ts';
import type { ApiRequest } from './api-request.ts';

/** What every call of one client needs. */
export interface ClientContext {
  readonly config: Config;
  /** Sends every request but downloads. */
  readonly transport: Transport;
  readonly shared: SharedState;
  /** The concurrency slots of this client. The account's slots are in `shared`. */
  readonly slots: ClientSlots;
  /** Loads all prices for a budget. A chat client has no such part, because no list has the price of a chat. */
  priceLists?: Part<{
    loadPrices(call: PricedCall, maxUsd: number): Promise<void> | undefined;
  }>;
}

/** A call whose price a list can have. */
export interface PricedCall {
  readonly context: ClientContext;
  readonly request: Pick<ApiRequest, 'model' | 'estimateUsd'>;
  /** Number of attempts that have ended. */
  readonly attempts: number;
  /** Its price in USD; undefined if it is not known. */
  estimate(): number | undefined;
}

/** State of one account, shared by a client and all clients derived from it with `withOptions`. */
export interface SharedState {
  readonly ledger: Ledger;
  readonly retryBudget: RetryBudget;
  readonly concurrency: ConcurrencyLimiter;
  /** Created by the first poll, because a chat client never polls. */
  polls?: PollLimiter;
  /** Until when calls with `fallback` skip a model, by model id, in monotonic ms. */
  readonly skippedUntil: Map<string, number>;
  /** Prices by model id, as `models.list` and `models.retrieve` returned them. */
  readonly prices: Map<string, KnownPrices>;
  /** Created by the first call with a budget whose price is not known. */
  priceList?: { load(context: ClientContext): Promise<void> | undefined };
  /** The poll path template that last worked, by kind of task. */
  readonly pollTemplates: Map<string, string>;
}

/**
 * Creates the context of a client. One that is derived from another client shares its state if both send the same
 * credentials to the same base URL, because only then do they use the same account.
 */
export function createContext(
  config: Config,
  transport: Transport,
  parent?: ClientContext,
): ClientContext {
  const shared: SharedState =
    parent && isSameAccount(config, parent.config)
      ? parent.shared
      : {
          ledger: createLedger(),
          retryBudget: new RetryBudget(),
          concurrency: createConcurrencyLimiter(config.clock),
          skippedUntil: new Map(),
          prices: new Map(),
          pollTemplates: new Map(),
        };
  return { config, transport, shared, slots: new ClientSlots(config.concurrency) };
}

/** Functions that return keys are compared by identity: calling them could have side effects. */
function isSameAccount(one: Config, other: Config): boolean {
  return (
    one.apiKey === other.apiKey &&
    one.baseURL === other.baseURL &&
    authorizationOf(one) === authorizationOf(other)
  );
}

/** The `authorization` header that replaces the API key, if any. */
function authorizationOf({ headers }: Config): string | null | undefined {
  return headers.find(([name]) => name === 'authorization')?.[1];
}

/** Maximum number of retries without a success in between. */
const capacity = 20;

/**
 * Keeps a client from flooding a service that is down. A retry spends a token and a success returns one; with no tokens
 * left, failures are thrown immediately.
 */
export class RetryBudget {
  #tokens = capacity;

  /** Whether a token is left. */
  get isLeft(): boolean {
    return this.#tokens > 0;
  }

  /** Spends a token on a retry. */
  spend(): void {
    this.#tokens -= 1;
  }

  /** Returns a token after a success. */
  refund(): void {
    this.#tokens = Math.min(capacity, this.#tokens + 1);
  }
}
