import type { Wording } from '../../errors/base.ts';
import { BudgetExceededError } from '../../errors/call.ts';
import { usdText } from '../../errors/message.ts';
import { roundUsd, toNano, toUsd } from '../../paid/amounts.ts';
import { limitPolicies } from '../../paid/limits.ts';
import type { Reservation, Shortfall, Stage } from '../../paid/reservations.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Budget } from '../config/options.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { ApiRequest } from './api-request.ts';
import { composeError } from './compose-error.ts';
import type { PricedCall } from './context.ts';
import type { CallErrors } from './errors.ts';

// What only a client with a budget needs: it is loaded before its first paid call.

export { estimatedUnits } from '../../paid/prices.ts';
export { Reservations } from '../../paid/reservations.ts';

/** Distinguishes bodies that are sent with one key. */
export function fingerprint({ body = '' }: Pick<ApiRequest, 'body'>): string {
  let hash = 0;
  // Without a copy of a text as bytes, which takes longer than the rest of the ledger.
  for (let at = 0; at < body.length; at += 1) {
    const code = typeof body === 'string' ? body.charCodeAt(at) : (body[at] ?? 0);
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  return `${body.length} ${hash}`;
}

/** What the budget of its client demands of a paid call. */
export class CallBudget {
  readonly #call: CallErrors & PricedCall;
  readonly #budget: Budget;
  readonly #reservation: Reservation;
  /** The clock of its attempts, whose time limit does not cover what they wait for in `takeTurn`. */
  readonly clock: PausableClock;

  constructor(call: CallErrors & PricedCall, budget: Budget, reservation: Reservation) {
    this.#call = call;
    this.#budget = budget;
    this.#reservation = reservation;
    this.clock = new PausableClock(call.context.config.clock);
  }

  /**
   * Before the call waits for a slot: loads the price list if it needs that, reserves its price, and waits for another call
   * whose charge shows what this one may cost.
   */
  prepare(signal: AbortSignal | undefined): Promise<void> {
    return this.#takeTurn('queueing', signal);
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
    const waitFor = (other: Promise<void>) =>
      this.clock.pauseFor(runWithTimeLimit(() => other, { signal, errors: this.#call }));
    // Right before it is sent, too: hooks of the request for the list may have run until now.
    const { priceLists } = this.#call.context;
    const loading = priceLists?.loaded?.loadPrices(this.#call, this.#budget.maxUsd);
    if (loading) await waitFor(loading);
    this.#reserve(stage);
    let turn: Promise<void> | undefined;
    while ((turn = this.#reservation.waitForTurn(stage === 'sending'))) {
      await waitFor(turn);
      this.#reserve(stage);
    }
  }

  /** Reserves the estimated price, or throws if the budget does not cover it. */
  #reserve(stage: Exclude<Stage, 'resending'>): void {
    const { earlier } = this.#call;
    const { maxUsd, strict } = this.#budget;
    const policy = strict ? limitPolicies.strictClient : limitPolicies.client;
    const shortfall = this.#reservation.reserve(
      { nanoUsd: toNano(maxUsd), policy },
      this.#call.estimate(),
      stage === 'sending' && earlier.outcome === 'unknown' ? 'resending' : stage,
    );
    if (shortfall === undefined) return;
    throw this.#exceeded(shortfall);
  }

  /** Says what is left, what the request costs as far as that is known, and what to do. */
  #exceeded({ spent, reserved, next }: Shortfall): BudgetExceededError {
    const { maxUsd } = this.#budget;
    const spentUsd = toUsd(spent);
    const limit = roundUsd(maxUsd);
    const leftUsd = toUsd(toNano(maxUsd) - spent - reserved);
    const state = (wording?: Wording) => {
      const share = wording?.amounts(spentUsd, limit) ?? `${spentUsd} of ${usdText(limit)}`;
      return `${share} spent, ${usdText(toUsd(reserved), wording)} reserved`;
    };
    const unknown = this.#call.request.estimateUsd
      ? 'is not in the price list of the service'
      : 'is known only when it is complete';
    const summary = (wording?: Wording) => {
      const usd = usdText(toUsd(next.nanoUsd), wording);
      if (next.basis === 'price') {
        return `Budget exceeded: ${state(wording)}; this request costs ${usd}.`;
      }
      if (leftUsd <= 0) {
        return `Budget exceeded: ${state(wording)}; the price of this request ${unknown}.`;
      }
      return next.basis === 'unknown'
        ? `The strict budget rejects this request, because its price ${unknown}: ${state(wording)}.`
        : `Budget exceeded: ${state(wording)}; ${usdText(leftUsd, wording)} is left, and such a request has cost up to ${usd}. The price of this one ${unknown}.`;
    };
    const isGuess = next.basis === 'largest-charge' && leftUsd > 0;
    const programAdvice = isGuess
      ? `Raise budget.maxUsd${reserved > 0 ? ', or try again once the requests in flight have ended' : ''}.`
      : undefined;
    const details = { outcome: 'not-sent', spentUsd, maxUsd } as const;
    return composeError(this.#call, BudgetExceededError, { summary, programAdvice }, details);
  }
}

/** A clock that can stand still. */
class PausableClock implements Clock {
  readonly #clock: Clock;
  #pausedMs = 0;
  #pausedAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return (this.#pausedAt ?? monotonicNow(this.#clock)) - this.#pausedMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const endsAt = this.monotonic() + ms;
    let left = ms;
    do await this.#clock.sleep(left, signal);
    while ((left = endsAt - this.monotonic()) > 0);
  }

  /** Stands still until the promise has settled. */
  async pauseFor(promise: Promise<void>): Promise<void> {
    const pausedAt = monotonicNow(this.#clock);
    this.#pausedAt = pausedAt;
    try {
      await promise;
    } finally {
      this.#pausedAt = undefined;
      this.#pausedMs += monotonicNow(this.#clock) - pausedAt;
    }
  }
}
