import { estimateBody } from '../../internal/request-price.ts';
import type { KnownPrices } from '../../internal/request-price.ts';
import { isRecord } from '../../types/type-guards.ts';
import { ProxyError } from '../error-response.ts';
import type { Route } from '../routes.ts';
import type { PriceList } from './price-list.ts';
import type { ResolvedLimits } from './user-limits.ts';

type Body = Readonly<Record<string, unknown>>;

/** The fields that determine the price of a kind of request. */
interface PricedFields {
  readonly counts?: readonly string[];
  readonly texts?: readonly string[];
  /**
   * Fields of which a service reads one, and may read the other: the more expensive one counts. The client itself never
   * sends both.
   */
  readonly alternatives: readonly (readonly [string, string])[];
}

const voice: PricedFields = {
  texts: ['text', 'preview_text'],
  alternatives: [['text', 'preview_text']],
};

const pricedFields: Readonly<Record<NonNullable<Route['price']>, PricedFields>> = {
  image: {
    counts: ['n', 'num_images'],
    alternatives: [
      ['n', 'num_images'],
      ['size', 'resolution'],
    ],
  },
  video: {
    counts: ['duration'],
    alternatives: [
      ['size', 'resolution'],
      ['duration', 'extra_body'],
    ],
  },
  audio: { texts: ['text', 'input'], alternatives: [['text', 'input']] },
  voiceClone: voice,
  voiceDesign: voice,
};

/** Estimates the price of a request in USD; undefined if it is not known. */
function estimatePrice(price: Route['price'], body: Body, prices: KnownPrices): number | undefined {
  const whole = price && inWholeUnits(body, pricedFields[price]);
  if (price === undefined || whole === undefined) return undefined;
  let bodies = [whole];
  // Music and speech share a route, and only the service knows which of them a model is.
  if (price === 'audio') bodies.push({});
  for (const [first, second] of pricedFields[price].alternatives) {
    if (whole[first] === undefined || whole[second] === undefined) continue;
    const others = bodies.flatMap((each) => {
      const { [first]: _, ...withoutFirst } = each;
      const { [second]: __, ...withoutSecond } = each;
      return [withoutFirst, withoutSecond];
    });
    bodies = [...bodies, ...others];
  }
  const estimates = bodies.map((each) => estimateBody(price, each)?.(prices));
  const known = estimates.filter((usd) => usd !== undefined);
  // The service may charge for the alternative whose price is not known.
  if (known.length < estimates.length) return undefined;
  // A price of 0 may stand for an unknown one: the model can be charged by its tokens.
  return Math.max(...known) || undefined;
}

/**
 * The body with its counts rounded up, because services do not sell a part of an image, and without fields that are null
 * or do not matter. Returns undefined if a service could read a count or a text in different ways.
 */
function inWholeUnits(body: Body, { counts = [], texts = [] }: PricedFields): Body | undefined {
  // Some clients merge `extra_body` into the body, and some services read its fields there.
  const { extra_body: extra, input_video_seconds: merged } = body;
  const inputs = [isRecord(extra) ? extra.input_video_seconds : undefined, merged].map(roundedUp);
  const seconds = Math.max(...inputs.map((count) => count ?? 0));
  const whole: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
    extra_body: seconds > 0 ? { input_video_seconds: seconds } : undefined,
  };
  for (const name of counts) whole[name] = roundedUp(body[name]);
  const isClear =
    [...counts.map((name) => whole[name]), ...inputs].every((count) => count !== null) &&
    texts.every((name) => typeof (body[name] ?? '') === 'string');
  return isClear ? whole : undefined;
}

/** Returns null for what is not a count. */
function roundedUp(count: unknown): number | undefined | null {
  if (count === undefined || count === null) return undefined;
  const number = typeof count === 'string' ? Number(count) : count;
  return typeof number === 'number' && number >= 0 ? Math.ceil(number) : null;
}

/**
 * What to reserve for a request in USD.
 *
 * @throws a 403 if the price is not known and the limits do not allow that.
 */
export async function priceToReserve(
  { isPaid, isChat, price }: Route,
  body: Body,
  limits: ResolvedLimits,
  priceList: PriceList,
): Promise<number> {
  if (!isPaid || limits.usd === undefined) return 0;
  if (isChat) return limits.chatUsd;
  const { model } = body;
  const hasPrices = price !== undefined && !price.startsWith('voice');
  const prices = hasPrices && typeof model === 'string' ? await priceList(model) : undefined;
  const usd = estimatePrice(price, body, prices);
  if (usd !== undefined) return usd;
  if (limits.allowsUnpriced) return limits.chatUsd;
  throw new ProxyError(
    403,
    'price_unknown',
    'The price of this request is not known in advance, so it could exceed the limit of its user. Use a model with a listed price, and name the resolution and the duration. Nothing was sent.',
  );
}
