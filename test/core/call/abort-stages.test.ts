import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { AbortedError, Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { caught, chat, drain, image, turns } from '../support.ts';

/** Everything is on a socket and in real time, and nothing would end by itself. */
const forever = 1_000_000;
const slow = { pollInterval: forever, maxPollInterval: forever, waitTimeout: 2 * forever };
const quick = { pollInterval: 1, maxPollInterval: 1, waitTimeout: 2 * forever };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

interface Stage {
  readonly start: (gateway: Polygate, signal: AbortSignal, mock: MockGateway) => Promise<unknown>;
  readonly fault?: Fault;
  /** Requests that have arrived, and answers whose headers are here, when it is reached. */
  readonly reached: readonly [number, number];
  readonly options?: PolygateOptions;
}

const submits = 'POST /v1/images/tasks';
const polls = 'GET /v1/images/tasks/{id}';
const talks = 'POST /v1/chat/completions';
const looks = 'GET /v1/materials/{id}';
const submit: Stage['start'] = (gateway, signal) => gateway.images.submit(image, { signal });
const talk: Stage['start'] = (gateway, signal) => gateway.chat.completions.create(chat, { signal });
const read: Stage['start'] = async (gateway, signal) =>
  drain(await gateway.chat.completions.create({ ...chat, stream: true }, { signal }));
const final: Stage['start'] = (gateway, signal) =>
  gateway.chat.completions.stream(chat, { signal }).final();
const wait: Stage['start'] = (gateway, signal) =>
  gateway.images.wait('task_1', { signal, ...slow });
const register: Stage['start'] = (gateway, signal) =>
  gateway.materials.register(material, { signal, ...quick });
const download: Stage['start'] = async (gateway, signal, mock) => {
  mock.fail({
    route: polls,
    body: { id: 'task_1', status: 'completed', image_url: `${gatewayURL(mock)}/x` },
  });
  return gateway.download(gateway.images.task('task_1'), { signal });
};
const urls = new WeakMap<MockGateway, string>();
const gatewayURL = (mock: MockGateway) => urls.get(mock);

const stages: Readonly<Record<string, Stage>> = {
  'while the key is fetched': {
    start: submit,
    reached: [0, 0],
    options: { apiKey: () => new Promise<string>(() => undefined) },
  },
  'in the queue': {
    start: async (gateway, signal) => {
      gateway.images.submit(image, { maxRetries: 0 }).catch(() => undefined);
      await turns();
      return gateway.images.submit(image, { signal });
    },
    fault: { route: submits, stallHeaders: true },
    reached: [1, 0],
    options: { concurrency: 1 },
  },
  'before the headers of a submit': {
    start: submit,
    fault: { route: submits, stallHeaders: true },
    reached: [1, 0],
  },
  'in the body of a submit': {
    start: submit,
    fault: { route: submits, stallBody: 20 },
    reached: [1, 1],
  },
  'in the body of an error': {
    start: submit,
    fault: { route: submits, status: 400, stallBody: 20 },
    reached: [1, 1],
  },
  'in the pause before a retry': {
    start: submit,
    fault: { route: submits, status: 503, retryAfter: 50 },
    reached: [1, 1],
  },
  // The pause of everybody after a 429 may end by itself, so it is short.
  'while a 429 waits for a slot': {
    start: submit,
    fault: { route: submits, status: 429, retryAfter: 1 },
    reached: [1, 1],
  },
  'before the headers of a chat': {
    start: talk,
    fault: { route: talks, stallHeaders: true },
    reached: [1, 0],
  },
  'in the body of a chat': { start: talk, fault: { route: talks, stallBody: 9 }, reached: [1, 1] },
  'before the headers of a stream': {
    start: read,
    fault: { route: talks, stallHeaders: true },
    reached: [1, 0],
  },
  'in a stream': { start: read, fault: { route: talks, stallBody: 300 }, reached: [1, 1] },
  'in a stream that final() reads': {
    start: final,
    fault: { route: talks, stallBody: 300 },
    reached: [1, 1],
  },
  'before the headers of a poll': {
    start: wait,
    fault: { route: polls, stallHeaders: true },
    reached: [1, 0],
  },
  'in the body of a poll': {
    start: wait,
    fault: { route: polls, stallBody: 9 },
    reached: [1, 1],
  },
  'in the pause between polls': {
    start: wait,
    fault: { route: polls, body: { id: 'task_1', status: 'queued' } },
    reached: [1, 1],
  },
  'in the pause after a poll that failed': {
    start: wait,
    fault: { route: polls, status: 503 },
    reached: [1, 1],
  },
  'in updates()': {
    start: (gateway, signal) => drain(gateway.images.task('task_1').updates({ signal, ...slow })),
    fault: { route: polls, body: { id: 'task_1', status: 'queued' } },
    reached: [1, 1],
  },
  'before the headers of a look at a material': {
    start: register,
    fault: { route: looks, stallHeaders: true },
    reached: [2, 1],
  },
  'in the pause of a wait for a material': {
    start: (gateway, signal) => gateway.materials.wait('mat_1', { signal, ...slow }),
    fault: { route: looks, status: 503 },
    reached: [1, 1],
  },
  'before the headers of a page': {
    start: (gateway, signal) => gateway.materials.list({}, { signal }),
    fault: { stallHeaders: true },
    reached: [1, 0],
  },
  'before the headers of a raw answer': {
    start: (gateway, signal) => gateway.models.list({}, { signal }).asResponse(),
    fault: { stallHeaders: true },
    reached: [1, 0],
  },
  'before the headers of a download': {
    start: download,
    fault: { route: 'GET /x', stallHeaders: true },
    reached: [2, 1],
  },
};

test.each(Object.entries(stages))(
  'an abort %s rejects within a turn, and leaves nothing',
  async (_, { start, fault, reached: [asked, answered], options }) => {
    const mock = createMockGateway({ tasks: { durationMs: forever } });
    if (fault !== undefined) mock.fail(fault);
    const listening = await listen(mock);
    urls.set(mock, listening.baseURL);
    const timers = countTimers();
    let headers = 0;
    const counted: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      headers += 1;
      return response;
    };
    const gateway = new Polygate({
      apiKey: mock.apiKey,
      baseURL: listening.baseURL,
      fetch: counted,
      timeout: forever,
      streamIdleTimeout: forever,
      maxQueueTime: forever,
      allowInsecureBaseURL: true,
      logLevel: 'off',
      ...options,
    });
    const stop = new AbortController();
    const reason = new Error('no longer wanted');
    let error: unknown;
    const ended = caught(start(gateway, stop.signal, mock)).then((caughtError) => {
      error = caughtError;
    });
    const seen = () => `${mock.requests.length} ${headers}`;
    const stage = `${asked} ${answered}`;
    expect(await soon(seen, (now) => now === stage)).toBe(stage);
    // What comes after the headers has its time, too; an abort a little early would do no harm.
    await pause(10);
    expect(error).toBeUndefined();
    stop.abort(reason);
    await turns(1);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: reason });
    await ended;
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    const others = options?.concurrency === 1 ? 1 : 0;
    expect(gateway.concurrency).toMatchObject({ inFlight: others, queued: 0 });
    expect(
      await soon(
        () => mock.inFlight,
        (now) => now === others,
      ),
    ).toBe(others);
    await listening.close();
    expect(await soon(countTimers, (now) => now <= timers)).toBeLessThanOrEqual(timers);
    expect(mock.requests).toHaveLength(asked);
  },
);

/** Waits, without a timer of its own, for what happens by itself. */
async function soon<Value>(look: () => Value, wanted: (value: Value) => boolean): Promise<Value> {
  const deadline = performance.now() + 4_000;
  while (!wanted(look()) && performance.now() < deadline) await turns(1);
  return look();
}

/** Timers that keep the process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}
