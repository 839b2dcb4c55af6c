import type { Wording } from '../../errors/base.ts';
import { BudgetExceededError } from '../../errors/call.ts';
import { usdText } from '../../errors/message.ts';
import { roundUsd, toNano, toUsd } from '../../paid/amounts.ts';
import { verdictOfError } from '../../paid/failed-call.ts';
import { limitPolicies } from '../../paid/limits.ts';
import { pricedUnits } from '../../paid/prices.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import type { Reservation, Stage } from '../../paid/reservations.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Budget } from '../config/options.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { routeOf } from './api-request.ts';
import type { ApiRequest } from './api-request.ts';
import { composeError } from './compose-error.ts';
import type { ClientContext } from './context.ts';
import type { CallErrors } from './errors.ts';

// What only a client with a budget needs: it is loaded before its first paid call.

export { Reservations } from '../../paid/reservations.ts';

/** Ends the reservation of a failed call. What may have been charged stays reserved. */
export function leave(reservation: Reservation, error: unknown): void {
  reservation.leave(verdictOfError(error).money);
}

/** What a request with this listed price in USD pays for; undefined if that is not known. */
export function unitsOf(request: ApiRequest, price: number): PricedUnits | undefined {
  const units = request.estimateUsd?.({ unitPriceUsd: 1 });
  return units ? pricedUnits([routeOf(request), request.model], price, units) : undefined;
}

/** Tells bodies apart that are sent with one key. */
export function fingerprint({ body = '' }: Pick<ApiRequest, 'body'>): string {
  let hash = 0;
  // Without a copy of a text as bytes, which takes longer than the rest of the ledger.
  for (let at = 0; at < body.length; at += 1) {
    const code = typeof body === 'string' ? body.charCodeAt(at) : (body[at] ?? 0);
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  return `${body.length} ${hash}`;
}

/** A call, as far as its budget needs it. */
interface PaidCall extends CallErrors {
  readonly context: ClientContext;
  estimate(): number | undefined;
}

/** What the budget of its client demands of a paid call. */
export class CallBudget {
  readonly #call: PaidCall;
  readonly #budget: Budget;
  readonly #reservation: Reservation;

  constructor(call: PaidCall, budget: Budget, reservation: Reservation) {
    this.#call = call;
    this.#budget = budget;
    this.#reservation = reservation;
  }

  /**
   * Before the call waits for a slot: loads the price list if it needs that, reserves its price, and waits for another call
   * whose charge shows what this one may cost.
   */
  async prepare(signal: AbortSignal | undefined): Promise<void> {
    const loading = this.#loadPrices();
    if (loading) await runWithTimeLimit(() => loading, { signal, errors: this.#call });
    await this.#takeTurn('queueing', signal);
  }

  /** The hooks of the call run. What they send must not wait for it. */
  pauseTurn(): void {
    this.#reservation.pauseTurn();
  }

  /** Another attempt follows. If none may have been charged, it is the turn of another call until then. */
  passTurn(): void {
    if (this.#call.earlier.outcome !== 'unknown') this.#reservation.passTurn();
  }

  /** Right before the call is sent: waits for what others are sending, and checks the limit again. */
  takeTurn(signal: AbortSignal): Promise<void> {
    return this.#takeTurn('sending', signal);
  }

  async #takeTurn(
    stage: Exclude<Stage, 'resending'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.#reserve(stage);
    let turn: Promise<void> | undefined;
    while ((turn = this.#reservation.waitForTurn(this.#call.estimate(), stage === 'sending'))) {
      const other = turn;
      await runWithTimeLimit(() => other, { signal, errors: this.#call });
      this.#reserve(stage);
    }
  }

  /** Reserves the estimated price, or throws if the budget does not cover it. */
  #reserve(stage: Exclude<Stage, 'resending'>): void {
    const { earlier, request } = this.#call;
    const { maxUsd, strict } = this.#budget;
    const policy = strict ? limitPolicies.strictClient : limitPolicies.client;
    const shortfall = this.#reservation.reserve(
      { nanoUsd: toNano(maxUsd), policy },
      this.#call.estimate(),
      stage === 'sending' && earlier.outcome === 'unknown' ? 'resending' : stage,
    );
    if (shortfall === undefined) return;
    const { spent, reserved, next } = shortfall;
    const spentUsd = toUsd(spent);
    const limit = roundUsd(maxUsd);
    const state = (wording?: Wording) => {
      const share = wording?.amounts(spentUsd, limit) ?? `${spentUsd} of ${usdText(limit)}`;
      return `${share} spent, ${usdText(toUsd(reserved), wording)} reserved`;
    };
    const unknown = request.estimateUsd
      ? 'is not in the price list of the service'
      : 'is known only when it is complete';
    const summary = (wording?: Wording) =>
      next.basis === 'price'
        ? `Budget exceeded: ${state(wording)}; this request costs ${usdText(toUsd(next.nanoUsd), wording)}.`
        : toUsd(spent + reserved) >= limit
          ? `Budget exceeded: ${state(wording)}; the price of this request ${unknown}.`
          : `The strict budget rejects this request, because its price ${unknown}: ${state(wording)}.`;
    const details = { outcome: 'not-sent', spentUsd, maxUsd } as const;
    throw composeError(this.#call, BudgetExceededError, { summary }, details);
  }

  /** Loads the price list before the first attempt if it can have the price; undefined if nothing is loaded. */
  #loadPrices(): Promise<void> | undefined {
    const { attempts, context, request } = this.#call;
    const { config, listModels, shared } = context;
    const { view, reservedUsd } = shared.ledger;
    const { estimateUsd, model } = request;
    if (attempts > 0 || !listModels || !estimateUsd || !model) return undefined;
    if (view.totalUsd + reservedUsd >= this.#budget.maxUsd) return undefined;
    if (this.#call.estimate() !== undefined) return undefined;
    shared.priceList ??= new PriceList(config.clock);
    return shared.priceList.load(listModels);
  }
}

/** How long a list is used before it is loaded again, in ms. */
const maxAge = 300_000;

/** How long no list is loaded after a failure, in ms. */
const pauseAfterFailure = 10_000;

/**
 * The price list of the service, which a client with a budget loads before the first call whose price it can contain. Its
 * failure is never the reason why a call fails: the price is then not known.
 */
export class PriceList {
  readonly #clock: Clock;
  #loading: Promise<void> | undefined;
  #loadAgainAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Loads the list, once for parallel calls; undefined if it was loaded. `list` requests it and records its prices. */
  load(list: () => Promise<unknown>): Promise<void> | undefined {
    if (monotonicNow(this.#clock) < this.#loadAgainAt) return undefined;
    this.#loading ??= list()
      .then(
        () => this.#pause(maxAge),
        () => this.#pause(pauseAfterFailure),
      )
      .finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  #pause(ms: number): void {
    this.#loadAgainAt = monotonicNow(this.#clock) + ms;
  }
}
