import { describe, expect, test } from 'vitest';

import { ClientSlots, createConcurrencyLimiter } from '../../../src/client/limits/concurrency.ts';
import type { ConcurrencyLimiter } from '../../../src/client/limits/concurrency.ts';
import type { Polygate } from '../../../src/index.ts';
import { chat, drain, image, onMock, turns, virtualClock } from '../support.ts';
import { manualClient, submitMany, taskWithLimit } from './manual-service.ts';

/** A manual client, and the request ids in the order in which they were sent. */
function labeled() {
  const order: (string | null)[] = [];
  const { service, ...rest } = manualClient();
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    order.push(request.headers.get('x-request-id'));
    return service.fetch(request);
  };
  return { service, order, ...rest, gateway: rest.gateway.withOptions({ fetch }) };
}

describe('a number caps the calls of its own client only', () => {
  test('and lets later calls of other clients pass', async () => {
    const { service, gateway } = manualClient();
    const capped = gateway.withOptions({ concurrency: 1 });
    await submitMany(gateway, 2);
    await submitMany(capped, 3);
    expect(service.inFlight).toBe(3);
    await submitMany(gateway, 1);
    expect(service.inFlight).toBe(4);
    expect(gateway.concurrency).toMatchObject({ inFlight: 4, queued: 2 });
  });

  test('even if each client has the same cap', async () => {
    const { service, gateway } = manualClient({ concurrency: 1 });
    await submitMany(gateway, 2);
    await submitMany(gateway.withOptions({ maxRetries: 0 }), 2);
    expect(service.inFlight).toBe(2);
  });

  test('within the limit of the account', async () => {
    const { service, gateway } = manualClient();
    const capped = gateway.withOptions({ concurrency: 3 });
    await submitMany(gateway, 2);
    await submitMany(capped, 5);
    expect(service.inFlight).toBe(4);
  });

  test('and a call that waits for its cap keeps its turn', async () => {
    const { service, gateway, order } = labeled();
    const capped = gateway.withOptions({ concurrency: 1 });
    const start = (client: Polygate, name: string) =>
      void client.images.submit(image, { requestId: name }).catch(() => undefined);
    start(capped, 'capped 1');
    for (const name of ['a', 'b', 'c']) start(gateway, name);
    start(capped, 'capped 2');
    for (const name of ['d', 'e', 'f']) start(gateway, name);
    await turns();
    expect(order).toEqual(['capped 1', 'a', 'b', 'c']);
    // The fifth slot stays closed: the limit is four.
    await service.respond(taskWithLimit(4));
    expect(order.slice(4)).toEqual(['capped 2']);
    await service.respond(taskWithLimit(4), 3);
    expect(order.slice(5)).toEqual(['d', 'e', 'f']);
  });

  test('also after a call that was next in line is aborted', async () => {
    const { service, gateway, order } = labeled();
    const capped = gateway.withOptions({ concurrency: 1 });
    const stop = new AbortController();
    const start = (client: Polygate, requestId: string, signal?: AbortSignal) =>
      void client.images.submit(image, { requestId, signal }).catch(() => undefined);
    for (const name of ['a', 'b', 'c', 'd']) start(gateway, name);
    start(capped, 'capped 1', stop.signal);
    start(gateway, 'e');
    start(capped, 'capped 2');
    await turns();
    stop.abort();
    await service.respond(taskWithLimit(4), 2);
    expect(order.slice(4)).toEqual(['e', 'capped 2']);
  });

  test('and counts a stream until it ends', async () => {
    const { mock, gateway } = onMock();
    const capped = gateway.withOptions({ concurrency: 1 });
    const stream = await capped.chat.completions.create({ ...chat, stream: true });
    const next = capped.images.submit(image);
    await gateway.images.submit(image);
    expect(mock.invoice).toHaveLength(2);
    await drain(stream);
    await next;
    expect(mock.invoice).toHaveLength(3);
  });
});

/** Like a call without a limit on its time in the queue. */
const acquire = async (limiter: ConcurrencyLimiter, client: ClientSlots) =>
  limiter.acquire(client, false, () => ({ errors: { aborted: () => new Error('aborted') } }));

test('calls that wait for the cap of their client do not slow down the admission of other calls', async () => {
  /** CPU time in µs to admit 5,000 calls one by one behind `waiting` calls of a client that is at its cap. */
  const timeToAdmit = async (waiting: number) => {
    const limiter = createConcurrencyLimiter(virtualClock());
    const capped = new ClientSlots(1);
    const others = new ClientSlots(1);
    for (let call = 0; call <= waiting; call += 1) void acquire(limiter, capped);
    let release = await acquire(limiter, others);
    const start = process.cpuUsage();
    for (let call = 0; call < 5_000; call += 1) {
      const next = acquire(limiter, others);
      release();
      release = await next;
    }
    const { user, system } = process.cpuUsage(start);
    expect(limiter.view.queued).toBe(waiting);
    return user + system;
  };
  /** The shortest of several times, because a garbage collection takes longer than all of the calls. */
  const shortest = async (waiting: number) => {
    const times: number[] = [];
    for (let round = 0; round < 4; round += 1) times.push(await timeToAdmit(waiting));
    return Math.min(...times);
  };
  const alone = await shortest(0);
  expect((await shortest(20_000)) / alone).toBeLessThan(10);
});

test('many clients with one waiting call each are served in order', async () => {
  const limiter = createConcurrencyLimiter(virtualClock());
  const order: number[] = [];
  const calls = Array.from({ length: 10_000 }, async (_, call) => {
    const release = await acquire(limiter, new ClientSlots(1));
    order.push(call);
    release();
  });
  await Promise.all(calls);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(limiter.view).toMatchObject({ inFlight: 0, queued: 0 });
});

test('a slot that is granted just before its caller aborts is released', async () => {
  const limiter = createConcurrencyLimiter(virtualClock());
  const client = new ClientSlots(1);
  const release = await acquire(limiter, client);
  const stop = new AbortController();
  const limit = { signal: stop.signal, errors: { aborted: () => new Error('aborted') } };
  const late = limiter.acquire(client, false, () => limit);
  release();
  expect(limiter.view).toMatchObject({ inFlight: 1, queued: 0 });
  stop.abort();
  await expect(late).rejects.toThrow('aborted');
  expect(limiter.view).toMatchObject({ inFlight: 0, queued: 0 });
});
