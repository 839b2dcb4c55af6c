import { APIError } from 'polygate';
import { memoryStore } from 'polygate/proxy';
import type { Store } from 'polygate/proxy';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { eventually } from '../../../support/eventually.ts';
import { rejection } from '../../../support/rejection.ts';
import { startProxy } from '../support.ts';
import { chat, image, received, usageOf } from './support.ts';

const once = { maxRetries: 0 };
const nothing = { usd: 0, reservedUsd: 0, requests: 0, inFlight: 0 };

describe('a store whose operations are late', () => {
  afterEach(() => void vi.useRealTimers());

  test('releases a reservation that it records after the request was refused', async () => {
    const inner = memoryStore();
    const pending: (() => void)[] = [];
    const reserve: Store['reserve'] = async (reservation) => {
      await new Promise<void>((resolve) => pending.push(resolve));
      return inner.reserve(reservation);
    };
    const setup = await startProxy({ limits: { usd: 1 }, store: { ...inner, reserve } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const refused = rejection(APIError, setup.page(once).images.submit(image));
    await eventually(() => expect(pending).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await refused).toMatchObject({ status: 503, code: 'store_unavailable' });
    vi.useRealTimers();
    for (const respond of pending) respond();
    await expect.poll(() => usageOf(setup)).toEqual({ ...nothing, requests: 1 });
    expect(received(setup.mock)).toEqual([]);
  });

  test('counts the charge of a stream that ends before its charge is recorded', async () => {
    const inner = memoryStore();
    const settlements: string[] = [];
    const state = { isDown: true };
    const settle: Store['settle'] = async (settlement) => {
      settlements.push(settlement.as);
      if (settlement.as === 'charged' && state.isDown)
        throw new Error('No connection to the store');
      return inner.settle(settlement);
    };
    const setup = await startProxy({ limits: { usd: 1 }, store: { ...inner, settle } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ended = setup.page(once).chat.completions.stream(chat).final();
    await eventually(() => expect(settlements).toContain('charged'));
    // The page waits for the store for two seconds.
    await vi.advanceTimersByTimeAsync(2_000);
    await ended;
    state.isDown = false;
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
    const [line] = setup.mock.invoice;
    await expect.poll(() => usageOf(setup)).toEqual({ ...nothing, usd: line?.usd, requests: 1 });
  });
});

const unreadable: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  await response.text();
  return response;
};

test.each([
  ['has no response', 0.05, async () => undefined as unknown as Response],
  ['has read the body', 0, unreadable],
])('a request whose `fetch` %s does not stay in flight', async (_, reservedUsd, appFetch) => {
  const setup = await startProxy({ limits: { usd: 1, concurrent: 1 }, fetch: appFetch });
  const stream = setup.page(once).chat.completions.stream(chat);
  expect(await rejection(APIError, stream.final())).toMatchObject({ outcome: 'unknown' });
  expect(await usageOf(setup)).toMatchObject({ inFlight: 0, reservedUsd });
});
