/** Tests of an app that sells posters, against the reference gateway with virtual time. */
import { PaymentRequiredError, Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGatewayOptions } from 'polygate/mock';
import { expect, test } from 'vitest';

/** The app. The client is injected, and the idempotency key is the order's id. */
async function sellPoster(
  gateway: Polygate,
  order: { id: string; motif: string },
): Promise<string> {
  const params = { model: 'prism-image', prompt: `A poster: ${order.motif}`, resolution: '2K' };
  try {
    const poster = await gateway.images.generate(params, { idempotencyKey: order.id });
    return `ready: ${poster.urls[0]}`;
  } catch (error) {
    if (PaymentRequiredError.is(error)) return 'we will contact you';
    throw error;
  }
}

function start(options?: MockGatewayOptions) {
  const mock = createMockGateway({ clock: 'virtual', ...options });
  const { apiKey, baseURL, fetch, clock } = mock;
  return { mock, gateway: new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off' }) };
}

const order = { id: 'order-17', motif: 'a harbor' };

test('a customer gets a poster in 2K', async () => {
  const { mock, gateway } = start();
  expect(await mock.clock.settle(sellPoster(gateway, order))).toMatch(/^ready: http/);
  expect(mock.requests[0]?.body).toMatchObject({ resolution: '2K' });
});

test('a poster is charged once even if responses are lost', async () => {
  const { mock, gateway } = start();
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 2 });
  mock.fail({ route: 'GET /v1/images/tasks/{id}', status: 503, times: 3 });
  expect(await mock.clock.settle(sellPoster(gateway, order))).toMatch(/^ready: http/);
  expect(mock.invoice).toMatchObject([{ usd: 0.04, idempotencyKey: 'order-17' }]);
});

test('two clicks on one order are charged once', async () => {
  const { mock, gateway } = start();
  const clicks = [sellPoster(gateway, order), sellPoster(gateway, order)];
  const [first, second] = await mock.clock.settle(Promise.all(clicks));
  expect(first).toBe(second);
  expect(mock.invoice).toHaveLength(1);
});

test('an insufficient balance does not crash the app', async () => {
  const { mock, gateway } = start({ wallet: { usd: 0 } });
  expect(await mock.clock.settle(sellPoster(gateway, order))).toBe('we will contact you');
});
