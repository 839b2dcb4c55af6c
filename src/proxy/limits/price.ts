import { describeBody } from '../../internal/request-price.ts';
import type { KnownPrices } from '../../internal/request-price.ts';
import { ProxyError } from '../error-response.ts';
import type { Route } from '../routes.ts';
import type { PriceList } from './price-list.ts';
import type { ResolvedLimits } from './user-limits.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Fields of which a service reads one, and may read the other: the more expensive one counts. The client itself never
 * sends both.
 */
const alternatives = [
  ['n', 'num_images'],
  ['size', 'resolution'],
  ['duration', 'extra_body'],
  ['text', 'input'],
  ['text', 'preview_text'],
] as const;

/** Estimates the price of a request in USD; undefined if it is not known. */
function estimatePrice(price: Route['price'], body: Body, prices: KnownPrices): number | undefined {
  let bodies = [body];
  // Music and speech share a route, and only the service knows which of them a model is.
  if (price === 'audio') bodies.push({});
  for (const [first, second] of alternatives) {
    if (body[first] === undefined || body[second] === undefined) continue;
    const others = bodies.flatMap((each) => {
      const { [first]: _, ...withoutFirst } = each;
      const { [second]: __, ...withoutSecond } = each;
      return [withoutFirst, withoutSecond];
    });
    bodies = [...bodies, ...others];
  }
  const estimates = bodies
    .map((each) => describeBody(price, each).estimateUsd?.(prices))
    .filter((usd) => usd !== undefined);
  return estimates.length === 0 ? undefined : Math.max(...estimates);
}

/**
 * What to reserve for a request in USD.
 *
 * @throws a 403 if the price is not known and the limits do not allow that.
 */
export async function priceToReserve(
  { isPaid, price, name }: Route,
  body: Body,
  limits: ResolvedLimits,
  priceList: PriceList,
): Promise<number> {
  if (!isPaid || limits.usd === undefined) return 0;
  if (name === 'POST /v1/chat/completions') return limits.chatUsd;
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
