import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { requestPrice } from './prices.ts';
import type { PricedAs, PriceEstimator, KnownPrices } from './prices.ts';

/**
 * Estimates what a request costs, from a body that was not checked: any JSON value, or none. Returns undefined if its
 * price is known only afterwards.
 */
export function estimateBody(
  price: PricedAs | undefined,
  body: unknown,
): PriceEstimator | undefined {
  if (price === undefined) return undefined;
  const params = unchecked<Readonly<Record<string, never>>>(isRecord(body) ? body : {});
  return (prices) => {
    try {
      return requestPrice[price](params)(prices);
    } catch {
      // A field that is not what the estimator expects. The price is then unknown.
      return undefined;
    }
  };
}

type Body = Readonly<Record<string, unknown>>;

type Alternatives = readonly (readonly [string, string])[];

const size: Alternatives[number] = ['size', 'resolution'];
const speech: Alternatives = [['text', 'input']];
const voice: Alternatives = [['text', 'preview_text']];

/**
 * Fields of which a service reads one, and may read the other: the more expensive one counts. The client itself never
 * sends both.
 */
const alternatives: Readonly<Record<PricedAs, Alternatives>> = {
  image: [['n', 'num_images'], size],
  video: [size, ['duration', 'extra_body']],
  music: [],
  speech,
  audio: speech,
  voiceClone: voice,
  voiceDesign: voice,
};

/**
 * Estimates what a request costs at most in USD, whichever of its fields the service reads. The body was not checked.
 * Returns undefined if the price is not known, also if that applies only to one of the fields, because the service may
 * charge for it.
 */
export function highestBodyPrice(
  price: PricedAs,
  body: Body,
  prices: KnownPrices,
): number | undefined {
  const { known, isComplete } = estimatesOf(price, body, prices);
  return isComplete ? Math.max(...known) : undefined;
}

/** How many units a request pays for at most, such as images or seconds; 1 if that is not known. */
export function highestBodyUnits(price: PricedAs, body: Body): number {
  return Math.max(...estimatesOf(price, body, { unitPriceUsd: 1 }).known, 0) || 1;
}

/** The estimates of a request, for each way to read its fields. */
function estimatesOf(price: PricedAs, body: Body, prices: KnownPrices) {
  const { input_video_seconds: merged, ...fields } = body;
  let readings = [pricedFields(fields)];
  // Some clients merge `extra_body` into the body, and some services read its fields there.
  if (merged)
    readings.push(pricedFields({ ...fields, extra_body: { input_video_seconds: merged } }));
  for (const [first, second] of alternatives[price]) {
    readings = readings.flatMap((reading) => {
      const { [first]: one, [second]: other, ...others } = reading;
      if (one === undefined || other === undefined) return [reading];
      return [
        { ...others, [first]: one },
        { ...others, [second]: other },
      ];
    });
  }
  // Without the fields of speech, music. Only the service knows which of them a model generates.
  if (price === 'audio') readings.push({});
  const known = readings
    .map((reading) => estimateBody(price, reading)?.(prices))
    .filter((usd) => usd !== undefined);
  return { known, isComplete: known.length === readings.length };
}

/** The fields of a body that are not null. Of `extra_body`, only the length of an input video matters. */
function pricedFields({ extra_body: extra, ...body }: Body): Body {
  const seconds = isRecord(extra) ? extra.input_video_seconds : undefined;
  const fields = Object.entries({
    ...body,
    extra_body: seconds ? { input_video_seconds: seconds } : undefined,
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== undefined));
}
