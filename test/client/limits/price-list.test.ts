/** The request for the price list that a client with a budget sends by itself, and calls that hooks of it make. */
import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import { caught, image, onMock } from '../support.ts';

const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '1080p' };

type Hook = (state: { readonly request: Request }) => Promise<void>;

describe.each(['beforeRequest', 'afterResponse'] as const)('while a %s hook of it runs', (name) => {
  const onHooked = (hook: Hook, maxUsd: number) => {
    const ofList: Hook = async (state) => {
      if (state.request.method === 'GET') await hook(state);
    };
    const world = onMock({}, { budget: { maxUsd }, hooks: { [name]: [ofList] } });
    const lists = () => world.mock.requests.filter(({ method }) => method === 'GET');
    return { ...world, lists };
  };

  test('a paid call that the hook makes does not wait for it', async () => {
    const nested: Promise<unknown>[] = [];
    const { mock, gateway, lists } = onHooked(async () => {
      nested.push(gateway.images.submit(image));
      await Promise.all(nested);
    }, 5);
    await mock.clock.settle(gateway.images.submit(image));
    expect(nested).toHaveLength(1);
    expect(mock.invoice).toHaveLength(2);
    // The list was loaded.
    const strict = gateway.withOptions({ budget: { maxUsd: 5, strict: true } });
    await strict.images.submit(image);
    expect(lists()).toHaveLength(1);
  });

  test('a hook that never ends keeps no call from the next list', async () => {
    let runs = 0;
    const { mock, gateway, lists } = onHooked(async () => {
      runs += 1;
      if (runs === 1) await mock.clock.sleep(30_000);
    }, 5);
    await mock.clock.settle(gateway.images.submit(image));
    await mock.clock.advance(60_000);
    const strict = gateway.withOptions({ budget: { maxUsd: 5, strict: true } });
    await mock.clock.settle(strict.images.submit(image));
    expect(lists()).toHaveLength(name === 'beforeRequest' ? 1 : 2);
  });
});

test('a call that comes while hooks of it run waits for it before it is sent', async () => {
  const hook = () => mock.clock.sleep(100);
  const { mock, gateway } = onMock(
    {},
    { budget: { maxUsd: 0.05 }, hooks: { beforeRequest: [hook] } },
  );
  mock.fail({ route: 'GET /v1/models', delayMs: 100 });
  const first = caught(gateway.videos.submit(video));
  await mock.clock.advance(50);
  const second = caught(gateway.videos.submit(video));
  for (const error of await mock.clock.settle(Promise.all([first, second]))) {
    expect(error).toBeInstanceOf(BudgetExceededError);
  }
  expect(mock.invoice).toEqual([]);
});
