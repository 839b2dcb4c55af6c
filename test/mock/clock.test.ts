import { Polygate, RequestTimeoutError, StreamIdleTimeoutError } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { toNodeHandler } from 'polygate/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { systemClock, VirtualClock } from '../../src/mock/clock.ts';
import { directTimes, serve, ways, work } from '../support/served-gateway.ts';

test('virtual time starts at a fixed date and moves only when advanced', async () => {
  const clock = new VirtualClock();
  expect(new Date(clock.now()).toISOString()).toBe('2026-05-01T00:00:00.000Z');
  const before = clock.now();
  await clock.advance(1500);
  expect(clock.now() - before).toBe(1500);
});

test('sleeps end in the order of their due time, and in call order if due at the same time', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => fired.push(name));
  void sleep('c', 30);
  void sleep('a', 10);
  void sleep('b1', 20);
  void sleep('b2', 20);
  await clock.advance(25);
  expect(fired).toEqual(['a', 'b1', 'b2']);
  await clock.advance(5);
  expect(fired).toEqual(['a', 'b1', 'b2', 'c']);
});

test('a sleep that starts when another ends is part of the same advance, at its own due time', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  const times: number[] = [];
  void (async () => {
    for (let round = 0; round < 5; round += 1) {
      await clock.sleep(100);
      times.push(clock.now() - start);
    }
  })();
  await clock.advance(350);
  expect(times).toEqual([100, 200, 300]);
  expect(clock.now() - start).toBe(350);
});

test('an aborted sleep rejects with the reason of its signal', async () => {
  for (const clock of [new VirtualClock(), systemClock()]) {
    const reason = new Error('aborted');
    const controller = new AbortController();
    const sleep = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(clock.sleep(1, AbortSignal.abort(reason))).rejects.toBe(reason);
  }
});

test('thousands of aborted sleeps leave the order of the others intact', async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const sleeps = Array.from({ length: 5000 }, (_, index) =>
    clock.sleep(1e9 + index, controller.signal).catch(() => 'aborted'),
  );
  const fired: number[] = [];
  for (const ms of [50, 10, 40, 20, 30]) void clock.sleep(ms).then(() => fired.push(ms));
  controller.abort();
  expect(new Set(await Promise.all(sleeps))).toEqual(new Set(['aborted']));
  await clock.advance(100);
  expect(fired).toEqual([10, 20, 30, 40, 50]);
});

test('settle advances from sleep to sleep until the promise settles', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  const slept = (async () => {
    await clock.sleep(3_600_000);
    await clock.sleep(1);
    return 'done';
  })();
  await expect(clock.settle(slept)).resolves.toBe('done');
  expect(clock.now() - start).toBe(3_600_001);
  await expect(clock.settle(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('advance rejects on the system clock', async () => {
  await expect(systemClock().advance(1)).rejects.toThrow('virtual');
});

describe.each(Object.entries(ways))('with %s', (_, start) => {
  test('a call takes the same virtual time as without', async () => {
    const way = await start();
    const expected = await directTimes();
    for (let run = 0; run < 5; run += 1)
      expect(await work(way.mock, way.options)).toEqual(expected);
    await way.close();
  });
});

describe('a server between client and gateway', () => {
  /** A client whose requests a server passes to a gateway on a socket, and never cancels there. */
  async function onServer(options: Parameters<typeof createMockGateway>[0] = {}) {
    const mock = createMockGateway({ clock: 'virtual', ...options });
    const gateway = await listen(mock);
    const server = await serve(
      toNodeHandler(async (request) => {
        const { method, headers } = request;
        const { pathname } = new URL(request.url);
        return fetch(gateway.baseURL + pathname, { method, headers, body: await request.text() });
      }),
    );
    onTestFinished(async () => {
      await server.close();
      await gateway.close();
    });
    const { apiKey, clock } = mock;
    const client = { apiKey, baseURL: server.url, clock, logLevel: 'off', maxRetries: 1 } as const;
    return { mock, gateway: new Polygate({ ...client, random: () => 0.5 }) };
  }
  const chat = {
    model: 'aurora-chat',
    messages: [{ role: 'user' as const, content: 'Hello' }],
  };

  test.each([
    ['a response', { stallHeaders: true }, RequestTimeoutError],
    ['the rest of a body', { stallBody: 20 }, RequestTimeoutError],
  ])('does not keep time from passing if the gateway withholds %s', async (_, fault, expected) => {
    const { mock, gateway } = await onServer();
    mock.fail({ ...fault, times: 1 });
    const submission = gateway.chat.completions.create(chat);
    await expect(mock.clock.settle(submission)).rejects.toBeInstanceOf(expected);
    // A request that is withheld at the gateway does not count for a later one.
    const start = mock.clock.now();
    await mock.clock.settle(gateway.chat.completions.create(chat));
    expect(mock.clock.now()).toBe(start);
  });

  test('passes time in steps to a stream that stalls, after all of its chunks', async () => {
    const { mock, gateway } = await onServer({ chunkDelayMs: 20_000 });
    mock.fail({ stallBody: 1000 });
    const received: string[] = [];
    const read = async () => {
      for await (const chunk of gateway.chat.completions.stream(chat)) {
        received.push(chunk.choices[0]?.delta.content ?? '');
      }
    };
    await expect(mock.clock.settle(read())).rejects.toBeInstanceOf(StreamIdleTimeoutError);
    expect(received.join('')).not.toBe('');
  });
});

test('a server that never responds is given up after a while, with a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  const server = await serve(() => undefined);
  onTestFinished(() => void server.close());
  const { apiKey, clock } = createMockGateway({ clock: 'virtual' });
  const gateway = new Polygate({ apiKey, baseURL: server.url, clock, logLevel: 'off' });
  const list = gateway.models.list({}, { maxRetries: 1 });
  await expect(clock.settle(list)).rejects.toBeInstanceOf(RequestTimeoutError);
  expect(warn.mock.calls[0]?.[0]).toContain(`no longer waits for GET ${server.url}/v1/models`);
});

test('a fetch function of the test itself can be watched', async () => {
  const mock = createMockGateway({ clock: 'virtual' });
  const server = await serve(toNodeHandler(async () => new Response('Ahoy')));
  onTestFinished(() => void server.close());
  const { clock } = mock;
  const start = clock.now();
  const fetch = clock.watchFetch(globalThis.fetch);
  void clock.sleep(1000);
  const response = await clock.settle(fetch(server.url));
  expect(await clock.settle(response.text())).toBe('Ahoy');
  expect(clock.now()).toBe(start);
});
