import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { Polygate, PolygateError } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';
import { collectGarbage } from '../support/safety/memory.ts';

const calls = 10_000;
const parallel = 24;
const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
const image = { model: 'prism-image', prompt: 'A harbor' };
const pollTiming = { pollInterval: 1, maxPollInterval: 5 };

interface Options {
  readonly signal: AbortSignal;
  readonly timeout: number;
}
const operations: readonly ((gateway: Polygate, options: Options) => Promise<unknown>)[] = [
  (gateway, options) => gateway.images.submit(image, options),
  (gateway, options) => gateway.images.generate(image, { ...options, ...pollTiming }),
  (gateway, options) => gateway.chat.completions.create(chat, options),
  (gateway, options) => gateway.chat.completions.stream(chat, options).final(),
  async (gateway, options) => {
    for await (const chunk of gateway.chat.completions.stream(chat, options)) return chunk.id;
    return undefined;
  },
  async (gateway, options) => {
    const stream = await gateway.chat.completions.create({ ...chat, stream: true }, options);
    for await (const _ of stream) stream.abort();
  },
  (gateway, options) => gateway.models.list({}, options),
  async (gateway, { signal }) => {
    const task = await gateway.images.submit(image);
    for await (const _ of task.updates({ ...pollTiming, signal, waitTimeout: 40 })) continue;
  },
];

/** The servers of this process, and the number of their unfinished responses. */
const servers = new Set<Server>();
let open = 0;
const started = (message: unknown) => {
  const { server, response } = message as {
    server: Server;
    request: IncomingMessage;
    response: ServerResponse;
  };
  servers.add(server);
  open += 1;
  response.once('close', () => {
    open -= 1;
  });
};
beforeEach(() => subscribe('http.server.request.start', started));
afterEach(() => void unsubscribe('http.server.request.start', started));

test(`${calls.toLocaleString('en')} calls that succeed, fail, are aborted or time out leave nothing behind`, async () => {
  const resources = active();
  const mock = createMockGateway({
    tasks: { durationMs: 3 },
    chunkDelayMs: 1,
    concurrencyLimit: 16,
    history: 1_000,
  });
  const listening = await listen(mock);
  for (const fault of [
    { reset: 'before' },
    { reset: 'after' },
    { stallHeaders: true },
    { stallBody: 200 },
    { truncateBody: 150 },
    { status: 503 },
    { status: 429, retryAfter: 0.01 },
    { cutStreamAfter: 2 },
  ] as const) {
    mock.fail({ ...fault, probability: 0.005 });
  }
  const gateway = new Polygate({
    apiKey: mock.apiKey,
    baseURL: listening.baseURL,
    timeout: 300,
    streamIdleTimeout: 200,
    maxRetryDelay: 5,
    logLevel: 'off',
  });
  const shared = new AbortController();
  const refs: WeakRef<object>[] = [];
  let listeners = 0;
  let next = 0;
  let failed = 0;
  const worker = async () => {
    while (next < calls) {
      const number = next++;
      const own = new AbortController();
      const { signal } = number % 2 === 0 ? own : shared;
      if (number % 2 === 0) refs.push(new WeakRef(signal));
      const timer = number % 4 === 0 ? setTimeout(() => own.abort(), number % 23) : undefined;
      const options = { signal, timeout: number % 7 === 0 ? 3 : 300 };
      const call = operations[number % operations.length];
      try {
        await call?.(gateway, options);
      } catch (error) {
        if (!(error instanceof PolygateError)) throw error;
        failed += 1;
      }
      clearTimeout(timer);
      listeners += getEventListeners(own.signal, 'abort').length;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  expect(failed).toBeGreaterThan(calls / 20);
  expect(failed).toBeLessThan(calls - calls / 20);
  expect(listeners).toBe(0);
  expect(getEventListeners(shared.signal, 'abort')).toHaveLength(0);
  expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  await until(() => open + mock.inFlight === 0);
  expect([open, mock.inFlight]).toEqual([0, 0]);
  // The number of kept-alive connections does not grow with the calls: none is leaked.
  const [server] = servers;
  expect(await connections(server)).toBeLessThan(calls / 50);
  await listening.close();
  await until(() => active().length <= resources.length);
  expect(active().length).toBeLessThanOrEqual(resources.length);
  const alive = () => refs.filter((ref) => ref.deref() !== undefined).length;
  for (let round = 0; round < 50 && alive() > 0; round += 1) {
    // A reference that was just read cannot be collected in the same turn.
    await pause(5);
    collectGarbage();
    await pause(5);
  }
  expect(alive()).toBeLessThanOrEqual(parallel);
});

/** Resources that keep this process alive. */
const active = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /timeout|tcp|tls|immediate/i.test(name))
    .toSorted();

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !condition(); turn += 1) {
    await pause(2);
    await setImmediate();
  }
}

const connections = (server: Server | undefined) =>
  new Promise<number>((resolve, reject) => {
    server?.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
