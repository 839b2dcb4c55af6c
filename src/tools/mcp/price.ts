import type { KnownPrices, Model } from 'polygate';

import { highestBodyPrice, highestBodyUnits } from '../../internal.ts';
import type { GenerationKind } from '../cli/state/task-entry.ts';

/** The units in which the kinds are billed. */
const units: Readonly<Record<GenerationKind, string>> = {
  image: 'image',
  video: 'second',
  music: 'audio',
  speech: 'character',
};

/** Units that belong to no kind of generation, or to one of them. A price in another of these does not apply. */
const knownUnits: ReadonlySet<unknown> = new Set([...Object.values(units), 'token']);

type Body = Readonly<Record<string, unknown>>;

/** What a request is expected to cost. */
export interface Quote {
  /** The listed price in USD; undefined if the model has none that applies. */
  readonly usd: number | undefined;
  /** Requests with the same class have the same price per unit. */
  readonly priceClass: string;
  /** How many units the request pays for: images, seconds, characters. */
  readonly units: number;
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
  const prices: KnownPrices = pricing;
  const unit: unknown = prices?.profiles?.api?.billingUnit;
  if (unit !== units[kind] && knownUnits.has(unit)) return undefined;
  const usd = highestBodyPrice(kind, body, prices);
  // A price of zero may be one that does not apply.
  return usd !== undefined && usd > 0 ? usd : undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
