import type { ClientContext, PricedCall } from '../client/call/context.ts';
import { monotonicNow } from '../client/config/clock.ts';
import type { Clock } from '../client/config/clock.ts';
import type { Transport } from '../client/http/transport.ts';
import { toNano } from '../paid/amounts.ts';
import { Models } from './models.ts';

/** How long a list is used before it is loaded again, in ms. */
const maxAge = 300_000;

/** How long no list is loaded after a failure, in ms. */
const pauseAfterFailure = 10_000;

/** Loads the price list before the first attempt of a call if it can have the price; undefined if nothing is loaded. */
export function loadPrices(call: PricedCall, maxUsd: number): Promise<void> | undefined {
  const { attempts, context, request } = call;
  const { config, shared } = context;
  const { spent, reserved } = shared.ledger.books;
  if (attempts > 0 || !request.estimateUsd || !request.model) return undefined;
  if (spent + reserved >= toNano(maxUsd) || call.estimate() !== undefined) return undefined;
  shared.priceList ??= new PriceList(config.clock);
  return shared.priceList.load(context);
}

/**
 * The price list of the service, which a client with a budget loads before the first call whose price it can contain. Its
 * failure is never the reason why a call fails: the price is then not known.
 */
class PriceList {
  readonly #clock: Clock;
  #loading: { readonly done: Promise<void>; readonly isInHooks: () => boolean } | undefined;
  #loadAgainAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Loads the list, once for parallel calls; undefined if it was loaded. A call that comes while hooks of its request run may
   * be one of theirs, and must not wait for them.
   */
  load(context: ClientContext): Promise<void> | undefined {
    if (monotonicNow(this.#clock) < this.#loadAgainAt) return undefined;
    const { done, isInHooks } = (this.#loading ??= this.#start(context));
    return isInHooks() ? undefined : done;
  }

  #start(context: ClientContext) {
    const { transport } = context;
    let isInHooks = false;
    const pauseTurn = () => void (isInHooks = true);
    const takeTurn = async () => void (isInHooks = false);
    const watched: Transport = (url, request, attempt) =>
      transport(url, request, { ...attempt, budget: { pauseTurn, takeTurn } });
    const own = { ...context, transport: Object.assign(watched, { part: transport.part }) };
    const list = async () => new Models(own).list({}, { timeout: 10_000, maxRetries: 0 });
    const done = list()
      .then(
        () => this.#pause(maxAge),
        () => this.#pause(pauseAfterFailure),
      )
      .finally(() => (this.#loading = undefined));
    return { done, isInHooks: () => isInHooks };
  }

  #pause(ms: number): void {
    this.#loadAgainAt = monotonicNow(this.#clock) + ms;
  }
}
