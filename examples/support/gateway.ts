import type { Model, Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

type Type = 'chat' | 'image' | 'video' | 'audio';

/**
 * Makes sure that the environment names a service, so that `new Polygate()` finds it. Without POLYGATE_BASE_URL a
 * reference gateway is started in this process: no key, no network, no cost. Gives what ends it.
 */
export async function startGateway(): Promise<() => Promise<void>> {
  if (process.env['POLYGATE_BASE_URL']) return async () => {};
  const mock = createMockGateway({ tasks: { durationMs: 3_000 }, chunkDelayMs: 40 });
  const server = await listen(mock);
  process.env['POLYGATE_BASE_URL'] = server.baseURL;
  process.env['POLYGATE_API_KEY'] = mock.apiKey;
  return () => server.close();
}

/**
 * Whether the service runs on this machine, as reference gateways do. Results are then downloaded from here, which
 * `allowInsecureBaseURL` has to allow.
 */
export function isLocal(baseURL = process.env['POLYGATE_BASE_URL'] ?? ''): boolean {
  return ['127.0.0.1', 'localhost'].includes(URL.parse(baseURL)?.hostname ?? '');
}

/** The id of the cheapest model of a type, paid by a unit if one is given, among those that the key can use. */
export async function pickModel(gateway: Polygate, type: Type, unit?: string): Promise<string> {
  const models = [...(await gateway.models.list())];
  const unitOf = (model: Model) => model.pricing?.profiles?.api?.billingUnit;
  return cheapest(unit ? models.filter((model) => unitOf(model) === unit) : models, type).id;
}

/** The cheapest model of a type. */
export function cheapest(models: readonly Model[], type: Type): Model {
  const price = (model: Model): number => likelyCost(model) ?? Infinity;
  const [found] = models
    .filter((model) => model.type === type)
    .toSorted((one, other) => price(one) - price(other));
  if (found === undefined) throw new Error(`This key can use no ${type} model`);
  return found;
}

/** What one ordinary request is likely to cost, USD, where the service tells. */
export function likelyCost(model: Model): number | undefined {
  return model.pricing?.profiles?.api?.estimatedChargeUsd || undefined;
}
