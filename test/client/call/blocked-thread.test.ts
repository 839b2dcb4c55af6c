/** Code of the caller that blocks the thread, so that no timer fires: a call must not be sent after its deadline. */
import { describe, expect, test } from 'vitest';

import { Polygate, RequestTimeoutError } from '../../../src/index.ts';
import type {
  Clock,
  Journal,
  PolygateOptions,
  RequestOptions,
  Telemetry,
} from '../../../src/index.ts';
import { caught, chat, drain, image, onMock } from '../support.ts';

const limit = 5_000;

/** A client whose `block` lets twice the time pass in which no timer fires, as code that blocks the thread does. */
function onBlocked(optionsOf: (block: () => void, apiKey: string) => PolygateOptions) {
  let blockedMs = 0;
  const block = () => {
    blockedMs += 2 * limit;
  };
  const { mock } = onMock();
  const clock: Clock = {
    now: () => mock.clock.now() + blockedMs,
    sleep: (ms, signal) => mock.clock.sleep(ms, signal),
  };
  const { apiKey, baseURL, fetch } = mock;
  const base = { apiKey, baseURL, fetch, clock, logLevel: 'off', maxRetries: 0 } as const;
  const gateway = new Polygate({ ...base, ...optionsOf(block, apiKey) });
  return { mock, gateway };
}

const blockedKey = (block: () => void, apiKey: string) => ({
  apiKey: () => {
    block();
    return apiKey;
  },
});

/** Telemetry that does something before each attempt. */
const telemetryWith = (work: () => void): Telemetry => ({
  startSpan: () => ({
    runAttempt(send) {
      work();
      send();
    },
    event: () => undefined,
    end: () => undefined,
  }),
});

type Send = (gateway: Polygate, options: RequestOptions) => Promise<unknown>;

const calls: Readonly<Record<string, Send>> = {
  'a chat': (gateway, options) => gateway.chat.completions.create(chat, options),
  'a streamed chat': (gateway, options) => gateway.chat.completions.stream(chat, options).final(),
  'a submission': (gateway, options) => gateway.images.submit(image, options),
  'a generation': (gateway, options) => gateway.images.generate(image, options),
  'a voice': (gateway, options) =>
    gateway.voices.clone({ audio_url: 'https://files.example/a.mp3', text: 'Hi' }, options),
  'a material': (gateway, options) =>
    gateway.materials.create({ url: 'https://files.example/a.png', type: 'image' }, options),
  'a chat with another model': (gateway, options) =>
    gateway.chat.completions.create(chat, { ...options, fallback: ['aurora-mini'] }),
  'a raw request': (gateway, options) =>
    gateway.request({ method: 'POST', path: '/v1/chat/completions', body: chat }, options),
  'an unread response': (gateway, options) =>
    gateway.chat.completions.create(chat, options).asResponse(),
};

const limits: readonly (keyof RequestOptions & ('timeout' | 'totalTimeout'))[] = [
  'timeout',
  'totalTimeout',
];

describe.each(limits)('after its %s', (name) => {
  test.each(Object.keys(calls))('%s is not sent if apiKey() has blocked', async (call) => {
    const { mock, gateway } = onBlocked(blockedKey);
    const error = await caught(calls[call]?.(gateway, { [name]: limit }) ?? Promise.resolve());
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({
      outcome: 'not-sent',
      message: expect.stringContaining(`The request was not sent within ${limit} ms (${name})`),
    });
    expect(mock.requests).toEqual([]);
    expect(mock.invoice).toEqual([]);
  });

  test('a chat says that nothing was charged', async () => {
    const { gateway } = onBlocked(blockedKey);
    const error = await caught(gateway.chat.completions.create(chat, { [name]: limit }));
    expect(error.message).toContain('Nothing was charged.');
  });

  test('nothing is sent if a hook has blocked', async () => {
    const { mock, gateway } = onBlocked((block) => ({ hooks: { beforeRequest: [block] } }));
    const error = await caught(gateway.images.submit(image, { [name]: limit }));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
    expect(mock.requests).toEqual([]);
  });

  test('nothing is sent if telemetry has blocked', async () => {
    const { mock, gateway } = onBlocked((block) => ({ telemetry: telemetryWith(block) }));
    const error = await caught(gateway.images.submit(image, { [name]: limit }));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
    expect(mock.requests).toEqual([]);
  });

  test('gateway.fetch sends nothing', async () => {
    const { mock, gateway } = onBlocked((...given) => ({ ...blockedKey(...given), [name]: limit }));
    const body = JSON.stringify(chat);
    const error = await caught(gateway.fetch('/v1/chat/completions', { method: 'POST', body }));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
    expect(mock.requests).toEqual([]);
  });
});

test('an attempt that was blocked is repeated, because nothing was sent', async () => {
  let keyCalls = 0;
  const { mock, gateway } = onBlocked((block, apiKey) => ({
    apiKey: () => {
      keyCalls += 1;
      if (keyCalls === 1) block();
      return apiKey;
    },
    maxRetries: 1,
    random: () => 0,
  }));
  await gateway.images.submit(image, { timeout: limit });
  expect(keyCalls).toBe(2);
  expect(mock.invoice).toHaveLength(1);
});

test('an attempt that a hook aborts is not sent', async () => {
  const controller = new AbortController();
  const abort = () => controller.abort('closed');
  const { mock, gateway } = onMock({}, { hooks: { beforeRequest: [abort] } });
  const error = await caught(gateway.images.submit(image, { signal: controller.signal }));
  expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not-sent', cause: 'closed' });
  expect(mock.requests).toEqual([]);
});

test('an attempt that telemetry aborts is not sent, and its outcome says so', async () => {
  const controller = new AbortController();
  const { mock, gateway } = onMock(
    {},
    { telemetry: telemetryWith(() => controller.abort('closed')) },
  );
  const error = await caught(gateway.chat.completions.create(chat, { signal: controller.signal }));
  expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not-sent', cause: 'closed' });
  expect(mock.requests).toEqual([]);
});

test('a row of a batch whose journal has blocked is not sent', async () => {
  let append = () => {};
  const { mock, gateway } = onBlocked((block) => {
    append = block;
    return { totalTimeout: limit };
  });
  const journal: Journal = {
    async *read() {},
    append: async () => append(),
    lock: async () => async () => undefined,
  };
  const describeRow = (params: typeof chat) => gateway.chat.completions.submission(params);
  const batch = gateway.batch([chat], describeRow, { journal });
  const [row] = await drain(batch);
  expect(row).toMatchObject({
    status: 'failed',
    error: { name: 'RequestTimeoutError', outcome: 'not-sent' },
  });
  expect(mock.requests).toEqual([]);
});

test('a call says that it was not sent if its retries were not sent in time, either', async () => {
  const { mock, gateway } = onBlocked(blockedKey);
  const options = { timeout: limit, maxRetries: 2 };
  const call = caught(gateway.chat.completions.create(chat, options));
  const error = await mock.clock.settle(call);
  expect(error).toMatchObject({ outcome: 'not-sent' });
  expect(error.message).toContain(`The request was not sent within ${limit} ms (timeout).`);
  expect(mock.requests).toEqual([]);
});

test('a call whose earlier attempt may have been charged says so if no other one is sent', async () => {
  let attempts = 0;
  const { mock, gateway } = onBlocked((block, apiKey) => ({
    apiKey() {
      attempts += 1;
      if (attempts > 1) block();
      return apiKey;
    },
  }));
  mock.fail({ route: 'POST /v1/images/tasks', status: 500, handled: true });
  const options = { totalTimeout: limit, maxRetries: 2 };
  const error = await mock.clock.settle(caught(gateway.images.submit(image, options)));
  expect(error).toBeInstanceOf(RequestTimeoutError);
  expect(error).toMatchObject({ outcome: 'unknown' });
  expect(error.message).toContain(
    'The request may have been charged. Retry with error.idempotencyKey',
  );
  expect(mock.invoice).toHaveLength(1);
});
