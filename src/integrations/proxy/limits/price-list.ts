import type { KnownPrices } from '../../../internal.ts';
import { chatEndpoints } from '../../../wire/endpoints/chat.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { resolveApiKey } from '../api-key.ts';
import { ProxyError } from '../error-response.ts';
import type { ProxyOptions } from '../options.ts';

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
