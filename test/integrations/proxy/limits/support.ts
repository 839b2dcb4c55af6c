import type { MockGateway } from 'polygate/mock';
import { memoryStore } from 'polygate/proxy';
import type { ProxyHandler, Store } from 'polygate/proxy';

export const image = { model: 'prism-image', prompt: 'A harbor' };
/** The price of {@link image}. */
export const imageUsd = 0.02;
export const chat = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Hello' }],
};

/** What the service has charged, in USD. */
export const chargedUsd = ({ invoice }: MockGateway) =>
  Number(invoice.reduce((sum, { usd }) => sum + usd, 0).toFixed(9));

/** The requests that the service has received, without those for its price list. */
export const received = ({ requests }: MockGateway) =>
  requests.filter(({ method, path }) => method === 'POST' || path !== '/v1/models');

/** A store whose methods fail while `isDown`. */
export function failingStore() {
  const store = memoryStore();
  const state = { isDown: false };
  const wrapped = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: never[]) => {
        if (state.isDown) throw new Error('No connection to the store');
        return (method as (...given: never[]) => unknown)(...args);
      },
    ]),
  ) as unknown as Store;
  return { store: wrapped, state };
}

/** The usage of ann, without the end of the window. */
export async function usageOf({ handler }: { handler: ProxyHandler }, user = 'ann') {
  const { usd, reservedUsd, requests, inFlight } = await handler.usage(user);
  return { usd, reservedUsd, requests, inFlight };
}
