import type { KnownPrices, Model } from 'polygate';

import type { GenerationKind } from '../cli/state/task-entry.ts';
import { requestPrice } from '../internal/charges.ts';

/** The units in which the kinds are billed. */
const units: Readonly<Record<GenerationKind, string>> = {
  image: 'image',
  video: 'second',
  music: 'audio',
  speech: 'character',
};

/** Units that belong to no kind of generation, or to one of them. A price in another of these does not apply. */
const knownUnits: ReadonlySet<unknown> = new Set([...Object.values(units), 'token']);

/** Estimates the price of a request in USD; undefined if the model has no price that applies to it. */
export function priceOf(
  kind: GenerationKind,
  body: Readonly<Record<string, unknown>>,
  { pricing }: Model,
): number | undefined {
  const prices: KnownPrices = pricing;
  const unit: unknown = prices?.profiles?.api?.billingUnit;
  if (unit !== units[kind] && knownUnits.has(unit)) return undefined;
  const usd = estimatorOf(kind, body)(prices);
  // A price of zero may be one that does not apply.
  return usd !== undefined && usd > 0 ? usd : undefined;
}

function estimatorOf(kind: GenerationKind, body: Readonly<Record<string, unknown>>) {
  switch (kind) {
    case 'image':
      return requestPrice.image(body);
    case 'video':
      return requestPrice.video(body);
    case 'music':
      return requestPrice.audio({});
    case 'speech':
      return requestPrice.audio({ text: textOf(body.text) ?? textOf(body.input) ?? '' });
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
