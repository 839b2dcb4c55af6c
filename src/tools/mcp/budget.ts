import { BudgetExceededError } from 'polygate';
import type { PolygateError, Task, KnownPrices, Model } from 'polygate';

import {
  highestBodyPrice,
  highestBodyUnits,
  reportedCharge,
  createLedger,
  LargestCharges,
  roundUsd,
} from '../../internal.ts';
import type { PricedUnits, Reservation } from '../../internal.ts';
import { verdictOfError } from '../../paid/verdict.ts';
import { generationKinds } from '../cli/task-store.ts';
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
export interface Purchase {
  readonly idempotencyKey: string;
  /** The tool. */
  readonly route: string;
  readonly model: string;
  readonly quote: Quote;
}

/** A purchase that was or will be sent, and whose charge is not known. */
interface OpenPurchase extends Purchase {
  readonly reservedUsd: number;
  /** Whether a request for it was sent, and its response lost. */
  readonly mayBeCharged: boolean;
}

/** What the budget reads of a task. */
type Charged = Pick<Task, 'id' | 'chargeUsd' | 'meta' | 'replayed'>;

/** What is reserved for one call. */
export interface Reserved {
  /** Replaces it with the charge of the accepted task, or with the reserved amount if the service reports none. */
  readonly charge: (task: Charged) => number;
  /** Ends it after a failure, unless the request may have been charged. */
  readonly leave: (error: PolygateError) => void;
}

/** The budget of this process. A call reserves its price before anything is sent, so that parallel calls share it. */
export class ProcessBudget {
  readonly #limits: Limits;
  readonly #refunds: Refunds;
  readonly #ledger = createLedger();
  readonly #open = new Map<string, OpenPurchase>();
  readonly #largest = new LargestCharges();

  constructor(limits: Limits, refunds: Refunds) {
    this.#limits = limits;
    this.#refunds = refunds;
  }

  /** What is left for further calls. */
  get leftUsd(): number {
    const { spent } = this.#ledger.commitments;
    return Math.max(0, roundUsd(this.#maxUsd - spent - this.#reservedUsd));
  }

  /** The budget in one line. */
  get text(): string {
    if (this.#limits.maxUsd === undefined) return 'The server was started without --max-usd.';
    const { spent } = this.#ledger.commitments;
    const reserved = this.#reservedUsd;
    const parts = [
      `${formatUsd(spent)} charged`,
      ...(reserved > 0 ? [`${formatUsd(reserved)} reserved for calls that may be charged`] : []),
      ...(this.#refunds.refundedUsd > 0
        ? [`${formatUsd(this.#refunds.refundedUsd)} refunded`]
        : []),
    ];
    return `${formatUsd(this.leftUsd)} of ${exactUsd(this.#limits.maxUsd)} is left (${parts.join(', ')}).`;
  }

  get #maxUsd(): number {
    return roundUsd((this.#limits.maxUsd ?? 0) + this.#refunds.refundedUsd);
  }

  get #reservedUsd(): number {
    return roundUsd(this.#ledger.commitments.reserved + this.#shortfallUsd());
  }

  /** What is reserved for a call; undefined if nothing limits what it may cost. */
  priceToReserve(quote: Quote): number | undefined {
    const expected = quote.usd ?? this.#limits.maxUsdPerCall;
    return expected === undefined ? undefined : Math.max(expected, this.#largest.of(quote));
  }

  /**
   * Reserves what a call may cost.
   *
   * @throws `BudgetExceededError` if the limits do not cover it.
   */
  async reserve(purchase: Purchase): Promise<Reserved> {
    this.#checkPrice(purchase);
    await this.#refunds.start();
    const reservation = this.#openReservation(purchase);
    if (!this.#reserveNow(reservation, purchase)) {
      await this.#refunds.update();
      if (!this.#reserveNow(reservation, purchase)) throw this.#exceeded(purchase);
    }
    return {
      charge: (task) => this.#charge(reservation, purchase, task),
      leave: (error) => {
        reservation.leave(error);
        const { idempotencyKey: key } = purchase;
        const open = this.#open.get(key);
        if (open === undefined) return;
        const isInvalid = verdictOfError(error)?.money === 'void';
        const mayBeCharged = error.outcome === 'unknown' || (open.mayBeCharged && !isInvalid);
        if (mayBeCharged) this.#open.set(key, { ...open, mayBeCharged });
        else this.#open.delete(key);
      },
    };
  }

  /**
   * Records the charge of a task that another program has found. Returns undefined if this process has no open request
   * for it.
   */
  settle(idempotencyKey: string, { id, chargeUsd, meta }: Charged): number | undefined {
    const purchase = this.#open.get(idempotencyKey);
    if (purchase === undefined) return undefined;
    // The response to the request of this process may still arrive.
    const task = { id, chargeUsd, meta, replayed: true };
    return this.#charge(this.#openReservation(purchase), purchase, task);
  }

  #openReservation({ idempotencyKey: key, model, route }: Purchase): Reservation {
    // The key of a purchase is derived from its body, and its price has the units.
    const details = { readBody: () => '', readUnits: () => undefined };
    return this.#ledger.open({ route, model, key, safety: 'keyed', ...details });
  }

  /** Reserves the price if it fits. No other call can run in between. */
  #reserveNow(reservation: Reservation, purchase: Purchase): boolean {
    const { idempotencyKey: key } = purchase;
    const usd = this.#checkPrice(purchase);
    const maxUsd = roundUsd(this.#maxUsd - this.#shortfallUsd(key));
    if (reservation.reserve({ maxUsd, strict: true }, usd, 'sending') !== undefined) return false;
    const { mayBeCharged = false, reservedUsd = 0 } = this.#open.get(key) ?? {};
    this.#open.set(key, { ...purchase, reservedUsd: Math.max(usd, reservedUsd), mayBeCharged });
    return true;
  }

  #charge(reservation: Reservation, { idempotencyKey: key, quote }: Purchase, task: Charged) {
    const { reservedUsd = 0 } = this.#open.get(key) ?? {};
    const { chargeUsd, id: taskId, replayed: idempotentReplay, meta } = task;
    const reportedUsd = reportedCharge(chargeUsd, idempotentReplay);
    const usd = reportedUsd ?? reservedUsd;
    this.#open.delete(key);
    reservation.charge(usd, { taskId, idempotentReplay, requestId: meta?.requestId });
    if (reportedUsd !== undefined) this.#largest.add(quote, reportedUsd);
    return usd;
  }

  /** What open requests are expected to cost above what is reserved for them, because others cost more than listed. */
  #shortfallUsd(exceptKey?: string): number {
    let usd = 0;
    for (const { idempotencyKey, quote, reservedUsd } of this.#open.values()) {
      if (idempotencyKey === exceptKey) continue;
      usd += Math.max(0, (this.priceToReserve(quote) ?? 0) - reservedUsd);
    }
    return roundUsd(usd);
  }

  /** Returns what is reserved for a call. */
  #checkPrice({ model, quote }: Purchase): number {
    const { maxUsdPerCall } = this.#limits;
    const usd = this.priceToReserve(quote);
    if (usd === undefined) {
      throw this.#error(
        `The price of this call is not known, because the service lists none that applies to ${model} and these arguments, so it does not fit a budget. Only a server that was started with --max-usd-per-call pays for such calls.`,
      );
    }
    if (maxUsdPerCall !== undefined && roundUsd(usd) > roundUsd(maxUsdPerCall)) {
      throw this.#error(
        `This call ${this.#costs(quote)}, and a call may cost at most ${exactUsd(maxUsdPerCall)}.`,
      );
    }
    return usd;
  }

  #exceeded({ quote }: Purchase): BudgetExceededError {
    return this.#error(`This call ${this.#costs(quote)}, but ${this.text}`);
  }

  /** What a call costs, and why that is not the listed price. */
  #costs(quote: Quote): string {
    const usd = this.priceToReserve(quote) ?? 0;
    const listed = quote.usd ?? this.#limits.maxUsdPerCall ?? 0;
    const reason = usd > listed ? ', because an earlier one was charged more than expected' : '';
    return `costs about ${exactUsd(usd)}${reason}`;
  }

  #error(message: string): BudgetExceededError {
    const { maxUsd = 0 } = this.#limits;
    return new BudgetExceededError(message, {
      outcome: 'not-sent',
      spentUsd: this.#ledger.view.totalUsd,
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
  const { size, resolution = size, ...others } = body;
  return {
    usd: priceOf(kind, body, model),
    priceClass: JSON.stringify([kind, body.model, textOf(resolution)?.toLowerCase()]),
    units: highestBodyUnits(kind, others),
  };
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

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
