import { expect, test } from 'vitest';

import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import { chat, onMock } from '../support.ts';

/** A client with a budget, one of whose hooks makes another call of the same route, whose price is not known, either. */
function clientWithHook(hook: 'beforeRequest' | 'afterResponse', fault?: { status: number }) {
  let gateway: Polygate | undefined;
  let isInner = false;
  const inner = async () => {
    if (isInner) return undefined;
    isInner = true;
    await gateway?.chat.completions.create(chat);
    return undefined;
  };
  const options: PolygateOptions = { budget: { maxUsd: 1 }, hooks: { [hook]: [inner] } };
  const world = onMock({}, options);
  ({ gateway } = world);
  if (fault) world.mock.fail({ route: 'POST /v1/chat/completions', times: 1, ...fault });
  return { ...world, gateway };
}

test.each([
  ['beforeRequest', undefined],
  ['afterResponse', undefined],
  ['afterResponse', { status: 402 }],
] as const)(
  'a call in %s of the call whose charge it would wait for does not wait (%j)',
  async (hook, fault) => {
    const { mock, gateway } = clientWithHook(hook, fault);
    const call = gateway.chat.completions.create(chat, { timeout: 1_000, maxRetries: 0 });
    const result = await mock.clock.settle(call.then(({ object }) => object, String));
    expect(result).toContain(fault ? '402' : 'chat.completion');
    expect(mock.invoice).toHaveLength(fault ? 1 : 2);
  },
);

test('calls with hooks still wait for the first response of their route', async () => {
  const hooks = { beforeRequest: [async () => undefined] };
  const { mock, gateway } = onMock({ latencyMs: 50 }, { budget: { maxUsd: 0.000_001 }, hooks });
  const calls = Array.from({ length: 5 }, () => gateway.chat.completions.create(chat));
  const results = await mock.clock.settle(Promise.allSettled(calls));
  expect(
    results.map(({ status }) => status).filter((status) => status === 'fulfilled'),
  ).toHaveLength(1);
  expect(mock.invoice).toHaveLength(1);
});
