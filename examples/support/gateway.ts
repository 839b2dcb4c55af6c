import type { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

/**
 * Makes sure that the environment names a service, so that `new Polygate()` finds it. Without POLYGATE_BASE_URL a
 * reference gateway is started in this process: no account, no network, no cost. Gives what ends it.
 */
export async function startGateway(): Promise<() => Promise<void>> {
  if (process.env['POLYGATE_BASE_URL']) return async () => {};
  const mock = createMockGateway({ tasks: { durationMs: 3_000 }, chunkDelayMs: 40 });
  const server = await listen(mock);
  process.env['POLYGATE_BASE_URL'] = server.baseURL;
  process.env['POLYGATE_API_KEY'] = mock.apiKey;
  return () => server.close();
}

/** The id of the cheapest model of a type among those that the key can use. */
export async function pickModel(gateway: Polygate, type: 'chat' | 'image'): Promise<string> {
  const models = [...(await gateway.models.list())].filter((model) => model.type === type);
  const price = (model: (typeof models)[number]): number =>
    model.pricing?.profiles?.api?.estimatedChargeUsd || Infinity;
  const [cheapest] = models.toSorted((one, other) => price(one) - price(other));
  if (cheapest === undefined) throw new Error(`This key can use no ${type} model`);
  return cheapest.id;
}
