import { estimateBody } from './body-price.ts';
import type { KnownPrices } from './estimate.ts';
import type { PricedAs } from './request-price.ts';

type Body = Readonly<Record<string, unknown>>;

type Alternatives = readonly (readonly [string, string])[];

const speech: Alternatives = [['text', 'input']];
const voice: Alternatives = [['text', 'preview_text']];

/**
 * Fields of which a service reads one, and may read the other: the more expensive one counts. The client itself never
 * sends both. The `size` of an image has no price, so it is no alternative to its `resolution`.
 */
const alternatives: Readonly<Record<PricedAs, Alternatives>> = {
  image: [['n', 'num_images']],
  video: [
    ['size', 'resolution'],
    ['duration', 'extra_body'],
  ],
  music: [],
  speech,
  audio: speech,
  voiceClone: voice,
  voiceDesign: voice,
};

/**
 * Estimates what a request costs at most in USD, whichever of its fields the service reads. The body was not checked.
 * Returns undefined if the price is not known.
 */
export function highestBodyPrice(
  price: PricedAs,
  body: Body,
  prices: KnownPrices,
): number | undefined {
  let readings = [body];
  for (const [first, second] of alternatives[price]) {
    if (body[first] === undefined || body[second] === undefined) continue;
    readings = readings.flatMap((each) => [
      { ...each, [first]: undefined },
      { ...each, [second]: undefined },
    ]);
  }
  // Without the fields of speech, music. Only the service knows which of them a model generates.
  if (price === 'audio') readings.push({});
  const known = readings
    .map((reading) => estimateBody(price, reading)?.(prices))
    .filter((usd) => usd !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
