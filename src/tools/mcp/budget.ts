import { BudgetExceededError } from 'polygate';
import type { PolygateError, ResponseMeta, Task, KnownPrices, Model } from 'polygate';

import { highestBodyPrice, highestBodyUnits } from '../../internal.ts';
import { roundUsd, toNano, toUsd } from '../../paid/amounts.ts';
import { Books } from '../../paid/books.ts';
import type { Entry } from '../../paid/books.ts';
import { verdictOfError } from '../../paid/failed-call.ts';
import { verdictOfTask } from '../../paid/life.ts';
import { limitPolicies } from '../../paid/limits.ts';
import { pricedUnits } from '../../paid/prices.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import { Reservations } from '../../paid/reservations.ts';
import { verdictOf } from '../../paid/verdict.ts';
import { generationKinds } from '../cli/command-options.ts';
import type { GenerationKind } from '../cli/task-store.ts';
import { exactUsd, formatUsd } from '../money.ts';
import type { Refunds } from './refunds.ts';

/** The limits of the server, in USD. */
export interface Limits {
  /** What all calls of this process may cost; undefined if it must not pay for anything. */
  readonly maxUsd: number | undefined;
  /** What one call may cost. It is reserved for a model without a usable price. */
  readonly maxUsdPerCall: number | undefined;
}

/** What a call pays for. */
interface Purchase {
  readonly idempotencyKey: string;
  /** The tool. */
  readonly route: string;
  readonly model: string;
  readonly quote: Quote;
}

/** What the budget reads of a task. */
type Charged = Pick<Task, 'chargeUsd' | 'replayed'>;

/** What is reserved for one call. */
export interface Reserved {
  /** Checks right before it is sent whether the limits still cover it: others may have cost more than expected. */
  readonly recheck: () => void;
  /** The charges that it has counted, in USD. */
  readonly chargedUsd: number;
  /** Counts the charge that a response reports, also one that has failed and that another attempt follows. */
  readonly note: (meta: ResponseMeta) => void;
  /** Ends it with an accepted task. Counts the reserved amount if the service has reported no charge. */
  readonly charge: (task: Charged) => number;
  /** Ends it after a failure, unless the request may have been charged. */
  readonly leave: (error: PolygateError) => void;
}

/** The budget of this process. A call reserves its price before anything is sent, so that parallel calls share it. */
export class ProcessBudget {
  readonly #limits: Limits;
  readonly #refunds: Refunds;
  readonly #books = new Books();
  readonly #reservations = (this.#books.reservations = new Reservations(this.#books));
  /** Purchases that were or will be sent, and whose charge is not known, by their keys. */
  readonly #open = new Map<string, Purchase>();

  constructor(limits: Limits, refunds: Refunds) {
    this.#limits = limits;
    this.#refunds = refunds;
  }

  /** What is left for further calls. */
  get leftUsd(): number {
    const { spent, reserved } = this.#books;
    return Math.max(0, toUsd(this.#limit - spent - reserved));
  }

  /** The budget in one line. */
  get text(): string {
    if (this.#limits.maxUsd === undefined) return 'The server was started without --max-usd.';
    const { spent, reserved } = this.#books;
    const { refundedUsd } = this.#refunds;
    const parts = [
      `${formatUsd(toUsd(spent))} charged`,
      ...(reserved > 0
        ? [`${formatUsd(toUsd(reserved))} reserved for calls that may be charged`]
        : []),
      ...(refundedUsd > 0 ? [`${formatUsd(refundedUsd)} refunded`] : []),
    ];
    return `${formatUsd(this.leftUsd)} of ${exactUsd(this.#limits.maxUsd)} is left (${parts.join(', ')}).`;
  }

  /** In billionths of a USD. */
  get #limit(): number {
    return toNano(this.#limits.maxUsd ?? 0) + toNano(this.#refunds.refundedUsd);
  }

  /** What is reserved for a call in USD; undefined if nothing limits what it may cost. */
  priceToReserve(quote: Quote): number | undefined {
    const price = this.#listed(quote);
    return price === undefined ? undefined : toUsd(this.#reservations.expected(price, quote));
  }

  #listed({ usd }: Quote): number | undefined {
    return usd ?? this.#limits.maxUsdPerCall;
  }

  /**
   * Reserves what a call may cost.
   *
   * @throws `BudgetExceededError` if the limits do not cover it.
   */
  async reserve(purchase: Purchase): Promise<Reserved> {
    this.#checkPrice(purchase);
    await this.#refunds.start();
    const entry = this.#enter(purchase);
    if (!this.#reserveNow(entry, purchase)) {
      await this.#refunds.update();
      if (!this.#reserveNow(entry, purchase)) throw this.#exceeded(purchase);
    }
    let chargedUsd = 0;
    return {
      get chargedUsd() {
        return chargedUsd;
      },
      recheck: () => {
        if (!this.#reserveNow(entry, purchase)) throw this.#exceeded(purchase);
      },
      note: (meta) => {
        const verdict = verdictOf(meta);
        if (verdict.money === 'charged' && entry.charge(verdict.usd, verdict.replay)) {
          chargedUsd = roundUsd(chargedUsd + verdict.usd);
        }
      },
      charge: (task) => this.#accept(entry, purchase, task),
      leave: (error) => {
        entry.reservation?.leave(verdictOfError(error).money);
        const { idempotencyKey: key } = purchase;
        if (this.#reservations.amountOf(key) === 0) this.#open.delete(key);
      },
    };
  }

  /**
   * Records the charge of a task that another program has found. Returns undefined if this process has no open request
   * for it.
   */
  settle(idempotencyKey: string, { chargeUsd }: Charged): number | undefined {
    const purchase = this.#open.get(idempotencyKey);
    if (purchase === undefined) return undefined;
    // The response to the request of this process may still arrive.
    const task = { chargeUsd, replayed: true };
    const entry = this.#enter(purchase);
    // It was reserved when it was sent. Its charge shows what such calls cost.
    const limit = { nanoUsd: Infinity, policy: limitPolicies.mcp };
    entry.reservation?.reserve(limit, this.#listed(purchase.quote), 'sending');
    const verdict = verdictOfTask(task);
    if (verdict.money === 'charged') entry.charge(verdict.usd, verdict.replay);
    return this.#accept(entry, purchase, task);
  }

  #enter(purchase: Purchase): Entry {
    const { idempotencyKey: key, route, quote } = purchase;
    // The key of a purchase is derived from its body.
    const readBody = () => '';
    const estimate = () => this.#estimateOf(purchase);
    const claim = { route, key, isChargedOnce: true, readBody, unitsOf: () => quote, estimate };
    return this.#books.open(claim);
  }

  /** What a success costs that reports no charge: what it has reserved, or its price if its key seemed to be free. */
  #estimateOf({ idempotencyKey, quote }: Purchase): number | undefined {
    return toUsd(this.#reservations.amountOf(idempotencyKey)) || this.priceToReserve(quote);
  }

  /** Reserves the price if it fits. No other call can run in between. */
  #reserveNow(entry: Entry, purchase: Purchase): boolean {
    this.#checkPrice(purchase);
    const limit = { nanoUsd: this.#limit, policy: limitPolicies.mcp };
    if (entry.reservation?.reserve(limit, this.#listed(purchase.quote), 'sending') !== undefined)
      return false;
    this.#open.set(purchase.idempotencyKey, purchase);
    return true;
  }

  /** Ends a purchase whose charge was counted, if one is reported. Returns what it has cost. */
  #accept(entry: Entry, purchase: Purchase, task: Charged): number {
    const { idempotencyKey } = purchase;
    const verdict = verdictOfTask(task);
    this.#open.delete(idempotencyKey);
    if (verdict.money === 'charged') return verdict.usd;
    const { reserved } = this.#books;
    const held = this.#reservations.amountOf(idempotencyKey);
    entry.accept(verdict.replay);
    // It counts from now on, whether or not it was reserved.
    return toUsd(held + this.#books.reserved - reserved);
  }

  /** Checks the limit of one call. */
  #checkPrice(purchase: Purchase): void {
    const { maxUsdPerCall } = this.#limits;
    const { model, quote } = purchase;
    const usd = this.priceToReserve(quote);
    if (usd === undefined) {
      throw this.#error(
        `The price of this call is not known, because the service lists none that applies to ${model} and these arguments, so it does not fit a budget. Only a server that was started with --max-usd-per-call pays for such calls.`,
      );
    }
    if (maxUsdPerCall !== undefined && usd > roundUsd(maxUsdPerCall)) {
      throw this.#error(
        `This call ${this.#costs(quote)}, and a call may cost at most ${exactUsd(maxUsdPerCall)}.`,
      );
    }
  }

  #exceeded({ quote }: Purchase): BudgetExceededError {
    return this.#error(`This call ${this.#costs(quote)}, but ${this.text}`);
  }

  /** What a call costs, and why that is not the listed price. */
  #costs(quote: Quote): string {
    const usd = this.priceToReserve(quote) ?? 0;
    const isHigher = usd > roundUsd(this.#listed(quote) ?? 0);
    const reason = isHigher ? ', because an earlier one was charged more than expected' : '';
    return `costs about ${exactUsd(usd)}${reason}`;
  }

  #error(message: string): BudgetExceededError {
    const { maxUsd = 0 } = this.#limits;
    return new BudgetExceededError(message, {
      outcome: 'not-sent',
      spentUsd: toUsd(this.#books.spent),
      maxUsd,
    });
  }
}

/** The units in which the kinds are billed. */
const units: Readonly<Record<GenerationKind, string>> = {
  image: 'image',
  video: 'second',
  music: 'audio',
  speech: 'character',
};

/** What a model generates; undefined if its record does not determine it. Music and speech are of one type. */
export function kindOf({ type, pricing }: Model): GenerationKind | undefined {
  const unit = unitOf(pricing);
  return generationKinds.find((kind) =>
    type === 'audio' ? units[kind] === unit && isAudio(kind) : kind === type,
  );
}

const isAudio = (kind: GenerationKind) => kind === 'music' || kind === 'speech';

/** Units that belong to no kind of generation, or to one of them. A price in another of these does not apply. */
const knownUnits: ReadonlySet<unknown> = new Set([...Object.values(units), 'token']);

type Body = Readonly<Record<string, unknown>>;

/** What a request is expected to cost. */
interface Quote extends PricedUnits {
  /** The listed price in USD; undefined if the model has none that applies. */
  readonly usd: number | undefined;
}

/** Estimates what a request costs. */
export function quoteOf(kind: GenerationKind, body: Body, model: Model): Quote {
  const { size, resolution, ...others } = body;
  const usd = priceOf(kind, body, model);
  // Without a listed price, a call may cost as much as any other of its model.
  const names = [kind, body.model];
  if (usd === undefined) return { usd, priceClass: JSON.stringify(names), units: 1 };
  return { usd, ...pricedUnits(names, usd, highestBodyUnits(kind, others)) };
}

/** Estimates the price of a request in USD; undefined if the model has no price that applies to it. */
export function priceOf(
  kind: GenerationKind,
  body: Body,
  { pricing }: Pick<Model, 'pricing'>,
): number | undefined {
  const unit = unitOf(pricing);
  if (unit !== units[kind] && knownUnits.has(unit)) return undefined;
  const usd = highestBodyPrice(kind, body, pricing);
  // A price of zero may be one that does not apply.
  return usd !== undefined && usd > 0 ? usd : undefined;
}

/** The service may leave out any part of the record, whatever the types say. */
const unitOf = (pricing: KnownPrices): unknown => pricing?.profiles?.api?.billingUnit;
