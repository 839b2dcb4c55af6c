import { estimate } from 'polygate';
import type { Polygate, PolygateOptions, ResponseMeta, KnownPrices, Model } from 'polygate';

import { contextOf, listedPrice, resolutionPrices } from '../../internal.ts';
import { roundUsd, toNano } from '../../paid/amounts.ts';
import { verdictOfError } from '../../paid/failed-call.ts';
import { decideLimit, limitPolicies } from '../../paid/limits.ts';
import { isUnpaid } from '../../paid/verdict.ts';
import { textOf } from '../../wire/types/type-guards.ts';
import { exactUsd } from '../money.ts';
import { errorResponse } from './run/failure.ts';
import type { Skip } from './run/findings.ts';

/** Differences below this are rounding, in USD. */
const tolerance = 1e-6;

/** What the diagnosis may spend, and what it has spent. */
export class Spending {
  #spentUsd = 0;
  #unconfirmedUsd = 0;
  #hasUnreportedCharge = false;
  /** What the wallet held before the diagnosis has spent anything, which is the most that it spends; undefined if not known. */
  walletUsd: number | undefined;
  /** Why nothing more may be spent. */
  #blockedBy: string | undefined;
  readonly #gateway: Polygate;
  readonly #maxUsd: number | undefined;

  constructor(gateway: Polygate, maxUsd: number | undefined) {
    this.#gateway = gateway;
    this.#maxUsd = maxUsd;
  }

  /** What responses reported as charged, in USD. */
  get spentUsd(): number {
    return this.#spentUsd;
  }

  /** Prices of requests that may have been charged, and whose charge no response has reported, in USD. */
  get unconfirmedUsd(): number {
    return this.#unconfirmedUsd;
  }

  /** Why a request that costs this much cannot be sent; undefined if it can. */
  problem(priceUsd: number): Skip | undefined {
    if (this.#maxUsd === undefined) {
      return tooExpensive(priceUsd, '. It runs only with a spending limit.');
    }
    if (this.#blockedBy !== undefined) return { detail: this.#blockedBy };
    if (!this.#fits(this.#maxUsd, priceUsd)) {
      const left = exactUsd(this.#leftOf(this.#maxUsd));
      const limit = exactUsd(this.#maxUsd);
      return tooExpensive(priceUsd, `, but only ${left} of ${limit} may still be spent.`);
    }
    const { walletUsd = Infinity } = this;
    if (this.#fits(walletUsd, priceUsd)) return undefined;
    return tooExpensive(
      priceUsd,
      `, but the wallet has only ${exactUsd(this.#leftOf(walletUsd))}.`,
    );
  }

  #fits(limitUsd: number, priceUsd: number): boolean {
    const limit = limitUsd === Infinity ? Infinity : toNano(limitUsd);
    const next = { nanoUsd: toNano(priceUsd), basis: 'price' } as const;
    const state = { limit, committed: toNano(this.#committedUsd), next };
    return decideLimit(limitPolicies.doctor, state) === 'held';
  }

  #leftOf(limitUsd: number): number {
    return Math.max(0, roundUsd(limitUsd - this.#committedUsd));
  }

  /**
   * Options for a paid request. The budget is raised by what the client has already spent or reserved, because both
   * share a ledger. A strict budget rejects requests whose price the client cannot estimate, so a chat cannot have one.
   */
  optionsFor(type: 'chat' | 'image'): PolygateOptions {
    const gateway = this.#gateway;
    const strict = type === 'image';
    const left = (this.#maxUsd ?? 0) - this.#committedUsd;
    const committedUsd = gateway.spend.totalUsd + contextOf(gateway).reservedUsd;
    return {
      budget: { maxUsd: roundUsd(committedUsd + left), strict },
      // A service that charges replays would charge a retry again, so each request is sent once.
      maxRetries: 0,
      // The diagnosis sends one paid request at a time, and must see a 429 instead of waiting for a slot.
      concurrency: false,
      timeout: 90_000,
      totalTimeout: 120_000,
      streamIdleTimeout: 30_000,
    };
  }

  /** Counts a charge that a response has reported. Spends nothing more if it is higher than the listed price. */
  add(chargeUsd: number, priceUsd: number): 'as-listed' | 'too-high' {
    this.#spentUsd = roundUsd(this.#spentUsd + chargeUsd);
    if (chargeUsd <= priceUsd + tolerance) return 'as-listed';
    this.block('The service charges more than its listed price, so nothing more is spent.');
    return 'too-high';
  }

  /** Counts the price of a request that may have been charged. */
  addUnconfirmed(priceUsd: number): void {
    this.#unconfirmedUsd = roundUsd(this.#unconfirmedUsd + priceUsd);
  }

  /**
   * Counts the price of a request that has succeeded without a reported charge. Only the `first` is worth a finding.
   */
  addUnreported(priceUsd: number): 'first' | 'repeated' {
    const order = this.#hasUnreportedCharge ? 'repeated' : 'first';
    this.#hasUnreportedCharge = true;
    this.addUnconfirmed(priceUsd);
    return order;
  }

  /** Spends nothing more, for this reason. */
  block(reason: string): void {
    this.#blockedBy = reason;
  }

  /** What was charged, or may have been. */
  get #committedUsd(): number {
    return roundUsd(this.#spentUsd + this.#unconfirmedUsd);
  }
}

/** `problem` completes the sentence. */
const tooExpensive = (priceUsd: number, problem: string): Skip => ({
  detail: `This check costs up to ${exactUsd(priceUsd)}${problem}`,
  skipReason: 'too-expensive',
});

/**
 * What is known about the charge of a request, in the words of a verdict. Here, an `accepted` request may also have reported
 * a charge of 0, which does not prove that it was free.
 */
export type Charge =
  | { readonly money: 'none' | 'unknown' }
  | { readonly money: 'charged'; readonly usd: number }
  | { readonly money: 'accepted'; readonly meta: ResponseMeta };

/**
 * The charge of a request that has succeeded. `isReplay`: it returned what the first request with its key has paid for.
 */
export function chargeOfResult(meta: ResponseMeta, { isReplay }: { isReplay: boolean }): Charge {
  if (isReplay) return { money: 'none' };
  return meta.chargeUsd ? { money: 'charged', usd: meta.chargeUsd } : { money: 'accepted', meta };
}

/**
 * The charge of a request that has failed, or whose result could not be read: then, it is not known to be a replay. Only
 * the response to a request that reuses a key can be one. `meta` is that of the response, if the error does not have it.
 */
export function chargeOfFailure(
  error: unknown,
  {
    reusesKey = false,
    meta = errorResponse(error)?.meta,
  }: { reusesKey?: boolean | undefined; meta?: ResponseMeta } = {},
): Charge {
  const mayBeReplay = reusesKey && meta?.idempotentReplay === true;
  if (meta?.chargeUsd && !mayBeReplay) return { money: 'charged', usd: meta.chargeUsd };
  if (meta && meta.status >= 200 && meta.status < 300) {
    const isMissing = meta.chargeUsd === undefined && !mayBeReplay;
    return isMissing ? { money: 'accepted', meta } : { money: 'unknown' };
  }
  return { money: isUnpaid(verdictOfError(error)) ? 'none' : 'unknown' };
}

/** Upper bound for the input tokens of a diagnostic chat. */
const maxInputTokens = 100;

/** The limit of output tokens that chats are sent with. */
export const maxOutputTokens = 16;

/** A model with the most that one request of the diagnosis costs at its listed price. */
export interface PricedModel {
  readonly id: string;
  readonly priceUsd: number;
  /** The resolution that has this price, if it has to be named. */
  readonly resolution?: string | undefined;
}

/** The models of a type whose price is known, cheapest first. */
export function cheapestModels(models: readonly Model[], type: 'chat' | 'image'): PricedModel[] {
  return models
    .filter((model) => model.type === type)
    .flatMap((model) => cheapestOf(model) ?? [])
    .toSorted((one, other) => one.priceUsd - other.priceUsd);
}

/** The lowest known price of a model. A price of 0 may stand for an unknown one. */
export function cheapestOf(model: Model): PricedModel | undefined {
  return pricesOf(model)
    .filter(({ priceUsd }) => priceUsd > 0 && priceUsd < Infinity)
    .toSorted((one, other) => one.priceUsd - other.priceUsd)[0];
}

function pricesOf({ id, type, pricing }: Model): PricedModel[] {
  if (type === 'chat') return [{ id, priceUsd: chatPrice(pricing) }];
  const unit = estimate.image(pricing, {}) ?? NaN;
  if (unit > 0) return [{ id, priceUsd: unit }];
  // Without a price per unit, only a request that names its resolution has a known price.
  const resolutions = resolutionPrices(pricing).map((price) => textOf(price.resolution));
  if (resolutions.length === 0) return [{ id, priceUsd: chatPrice(pricing) }];
  return resolutions.map((resolution) => ({
    id,
    resolution,
    priceUsd: estimate.image(pricing, { resolution }) ?? NaN,
  }));
}

/** The most that a chat of the diagnosis, or a short text for another model with prices per token, costs, including a price per request if there is one. */
function chatPrice(pricing: KnownPrices): number {
  const input = listedPrice(pricing, 'inputPricePer1kUsd');
  const output = listedPrice(pricing, 'outputPricePer1kUsd');
  if (input === undefined || output === undefined) return NaN;
  const unit = listedPrice(pricing, 'unitPriceUsd') ?? 0;
  return roundUsd((maxInputTokens * input + maxOutputTokens * output) / 1000 + unit);
}
