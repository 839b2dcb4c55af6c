import { highestBodyPrice, highestBodyUnits } from '../../../internal.ts';
import type { KnownPrices } from '../../../internal.ts';
import { toUsd } from '../../../paid/amounts.ts';
import { pricedUnits } from '../../../paid/prices.ts';
import type { LargestCharges, PricedUnits } from '../../../paid/prices.ts';
import { chatEndpoints } from '../../../wire/endpoints/chat.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { ProxyError } from '../error-response.ts';
import { resolveApiKey } from '../options.ts';
import type { ProxyOptions } from '../options.ts';
import type { Route } from '../routes.ts';
import type { ResolvedLimits } from './user-limits.ts';

/** How long a price list is used before it is read again, in ms. */
const maxAge = 300_000;

/** How long the last price list is used after a failed read, in ms. */
const pauseAfterFailure = 10_000;

/** How long tasks are refused after a failed read if there is no earlier price list, in seconds. */
const pauseWithoutPrices = 1;

/** How long a read may take, in ms. */
const readTimeout = 10_000;

/** Returns the prices of a model; undefined if the service does not list it. */
export type PriceList = (model: string) => Promise<KnownPrices>;

/** Where the list is, and what to do with errors. */
interface ListSettings extends Pick<ProxyOptions, 'apiKey' | 'baseURL'> {
  readonly fetch: typeof globalThis.fetch;
  readonly report: (error: unknown) => void;
}

/** Creates the price list of the service. It is read when it is first needed, and at most every five minutes. */
export function createPriceList(settings: ListSettings): PriceList {
  let prices: ReadonlyMap<string, KnownPrices> | undefined;
  let reading: Promise<void> | undefined;
  let readAgainAt = -Infinity;

  async function read(): Promise<void> {
    try {
      prices = await readPrices(settings);
      readAgainAt = performance.now() + maxAge;
    } catch (error) {
      settings.report(error);
      const pause = prices === undefined ? 1_000 * pauseWithoutPrices : pauseAfterFailure;
      readAgainAt = performance.now() + pause;
    }
    reading = undefined;
  }

  return async (model) => {
    // Requests that arrive during a read share it.
    if (performance.now() >= readAgainAt) reading ??= read();
    await reading;
    if (prices !== undefined) return prices.get(model);
    throw new ProxyError(
      503,
      'prices_unavailable',
      'The prices of the models cannot be read. Nothing was sent.',
      { headers: { 'retry-after': String(pauseWithoutPrices) } },
    );
  };
}

async function readPrices(settings: ListSettings): Promise<Map<string, KnownPrices>> {
  const { baseURL, fetch } = settings;
  const response = await fetch(`${baseURL}${chatEndpoints.models.list.path}`, {
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${await resolveApiKey(settings)}`,
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(readTimeout),
  }).catch(() => undefined);
  const body: unknown = response?.ok === true ? await response.json().catch(() => null) : null;
  if (!isRecord(body) || !Array.isArray(body.data)) {
    await response?.body?.cancel().catch(() => {});
    throw new Error(
      `The price list could not be read (${response?.status ?? 'no response'}): GET ${chatEndpoints.models.list.path}`,
    );
  }
  const models: unknown[] = body.data;
  return new Map(
    models
      .filter((model) => isRecord(model))
      .map(({ id, pricing }) => [String(id), unchecked<KnownPrices>(pricing)]),
  );
}

type Body = Readonly<Record<string, unknown>>;

/** The fields of a kind of request that services could read in different ways. */
interface PricedFields {
  readonly counts?: readonly string[];
  readonly texts?: readonly string[];
}

const voice: PricedFields = { texts: ['text', 'preview_text'] };

const pricedFields: Readonly<Record<NonNullable<Route['price']>, PricedFields>> = {
  image: { counts: ['n', 'num_images'] },
  video: { counts: ['duration', 'input_video_seconds'] },
  audio: { texts: ['text', 'input'] },
  voiceClone: voice,
  voiceDesign: voice,
};

/**
 * The body with its counts rounded up, because services do not sell a part of an image. Returns undefined if a service
 * could read a count or a text in different ways.
 */
function inWholeUnits(body: Body, { counts = [], texts = [] }: PricedFields): Body | undefined {
  const { extra_body: extra } = body;
  const seconds = roundedUp(isRecord(extra) ? extra.input_video_seconds : undefined);
  const whole: Record<string, unknown> = {
    ...body,
    extra_body: { input_video_seconds: seconds },
  };
  for (const name of counts) whole[name] = roundedUp(body[name]);
  const isClear =
    [...counts.map((name) => whole[name]), seconds].every((count) => count !== null) &&
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
 * What is reserved for a request whose price is 0, in USD, the smallest amount that stores count. So it is refused like any
 * other paid request once the limit is used up.
 */
const minUsd = 1e-9;

/** What a request reserves in USD, and what it pays for, if it has a listed price. */
export interface Price {
  readonly usd: number;
  readonly units?: PricedUnits | undefined;
}

/**
 * What to reserve for a request.
 *
 * @throws a 403 if the price is not known and the limits do not allow that.
 */
export async function priceToReserve(
  { isPaid, isChat, price, name }: Route,
  body: Body,
  limits: ResolvedLimits,
  {
    priceList,
    largestCharges,
  }: { readonly priceList: PriceList; readonly largestCharges: LargestCharges },
): Promise<Price> {
  if (!isPaid || limits.usd === undefined) return { usd: 0 };
  if (isChat) return { usd: Math.max(limits.chatUsd, minUsd) };
  const { model } = body;
  const hasPrices = typeof model === 'string' && price?.startsWith('voice') === false;
  const prices = hasPrices ? await priceList(model) : undefined;
  const whole = price && inWholeUnits(body, pricedFields[price]);
  const usd = price && whole && highestBodyPrice(price, whole, prices);
  if (usd !== undefined && price && whole) {
    const count = highestBodyUnits(price, whole);
    const units = pricedUnits([name, model], usd, count);
    return { usd: Math.max(usd, toUsd(largestCharges.largest(units)), minUsd), units };
  }
  if (limits.allowsUnpriced) return { usd: Math.max(limits.chatUsd, minUsd) };
  const advice = price
    ? 'Use a model with a listed price, and name the resolution, without a size in pixels, and the duration.'
    : "The operator of the proxy can allow it with unpriced: 'allow'.";
  throw new ProxyError(
    403,
    'price_unknown',
    `The price of this request is not known in advance, so it could exceed the limit of its user. ${advice} Nothing was sent.`,
  );
}
