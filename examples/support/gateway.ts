import type { Model, Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

type Type = 'chat' | 'image' | 'video' | 'audio';

/**
 * Starts a reference gateway in this process if POLYGATE_BASE_URL is not set, and sets the environment variables that
 * `new Polygate()` reads. Returns a function that stops the gateway.
 */
export async function startGateway(): Promise<() => Promise<void>> {
  const { stop } = await startMock();
  return stop;
}

/** Like {@link startGateway}, and also returns the reference gateway, unless POLYGATE_BASE_URL is set. */
export async function startMock(): Promise<{ mock?: MockGateway; stop: () => Promise<void> }> {
  if (process.env['POLYGATE_BASE_URL']) return { stop: async () => {} };
  const mock = createMockGateway({ tasks: { durationMs: 3_000 }, chunkDelayMs: 40 });
  const server = await listen(mock);
  process.env['POLYGATE_BASE_URL'] = server.baseURL;
  process.env['POLYGATE_API_KEY'] = mock.apiKey;
  return { mock, stop: () => server.close() };
}

/**
 * Whether the service runs on this machine, as a reference gateway does. Downloads from loopback addresses then need
 * `allowInsecureBaseURL`.
 */
export function isLocal(baseURL = process.env['POLYGATE_BASE_URL'] ?? ''): boolean {
  return ['127.0.0.1', 'localhost'].includes(URL.parse(baseURL)?.hostname ?? '');
}

/** Id of the cheapest model of a type that the key can use, optionally with this billing unit. */
export async function pickModel(gateway: Polygate, type: Type, unit?: string): Promise<string> {
  const models = [...(await gateway.models.list())];
  const unitOf = (model: Model) => model.pricing?.profiles?.api?.billingUnit;
  return cheapest(unit ? models.filter((model) => unitOf(model) === unit) : models, type).id;
}

/** Returns the cheapest model of a type. */
export function cheapest(models: readonly Model[], type: Type): Model {
  const price = (model: Model): number => estimateCost(model) ?? Infinity;
  const [model] = models
    .filter((candidate) => candidate.type === type)
    .toSorted((a, b) => price(a) - price(b));
  if (model === undefined) throw new Error(`No ${type} model is available to this key`);
  return model;
}

/** The service's own estimate of the price of one typical request, in USD. */
export function estimateCost(model: Model): number | undefined {
  return model.pricing?.profiles?.api?.estimatedChargeUsd || undefined;
}
