import { afterEach, describe, expect, test, vi } from 'vitest';

import { ChatClient } from '../../src/chat.ts';
import { Polygate } from '../../src/index.ts';
import type { PolygateOptions } from '../../src/index.ts';
import {
  baseURL,
  caught,
  chat,
  clientOf,
  drain,
  errorReply,
  hang,
  image,
  modelList,
  scripted,
  thrown,
  turns,
  virtualClock,
} from '../client/support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const messageOf = (call: Promise<unknown>) => caught(call).then(({ message }) => message);
const constructorMessage = (options: PolygateOptions) =>
  thrown(() => new Polygate({ apiKey: 'sk-test', baseURL, ...options })).message;

describe('a missing option', () => {
  test('is named with every way to set it', async () => {
    vi.stubEnv('POLYGATE_API_KEY', '');
    const keyless = new Polygate({ baseURL, fetch: scripted(modelList).fetch });
    const key =
      'apiKey: missing. Pass it to the client or set POLYGATE_API_KEY. If a proxy adds it, pass apiKey: null.';
    expect(await messageOf(keyless.images.submit(image))).toBe(
      `${key} Nothing was charged. [POST /v1/images/tasks]`,
    );
    vi.stubEnv('POLYGATE_BASE_URL', '');
    const missing =
      'baseURL: missing. Pass the URL of the service to the client or set POLYGATE_BASE_URL.';
    expect(thrown(() => new Polygate({ apiKey: 'sk-test' })).message).toBe(missing);
    expect(thrown(() => new ChatClient({ apiKey: 'sk-test', baseURL: ' ' })).message).toBe(missing);
  });
});

describe('an invalid option', () => {
  test('that is a duration is named with its unit', async () => {
    const unit = /: must be a number of milliseconds, at least [01]\.$/;
    for (const name of [
      'timeout',
      'totalTimeout',
      'streamIdleTimeout',
      'maxRetryDelay',
      'maxQueueTime',
    ]) {
      expect(constructorMessage({ [name]: -1 })).toMatch(unit);
    }
    const gateway = clientOf(scripted(modelList).fetch);
    for (const name of ['pollInterval', 'maxPollInterval', 'waitTimeout']) {
      const call = gateway.images.generate(image, { [name]: -1 });
      expect(await messageOf(call)).toMatch(unit);
    }
  });

  test('that ends with a line break says so', async () => {
    const lineBreak = 'without a line break, also at its end';
    expect(constructorMessage({ apiKey: 'sk-1234\n' })).toContain(lineBreak);
    expect(constructorMessage({ headers: { 'x-a': 'b\n' } })).toContain(lineBreak);
    const gateway = clientOf(scripted(modelList).fetch, { apiKey: () => 'sk-1234\n' });
    expect(await messageOf(gateway.models.list())).toContain(lineBreak);
  });
});

describe('the error of a call that gets no slot', () => {
  async function queuedMessage(options: PolygateOptions) {
    const clock = virtualClock();
    const gateway = clientOf(scripted(hang).fetch, { clock, concurrency: 1, ...options });
    gateway.images.submit(image).catch(() => undefined);
    await turns();
    return messageOf(clock.settle(gateway.images.submit(image)));
  }

  test('names `maxQueueTime` and what to do', async () => {
    const advice = 'Send fewer requests at a time, use a batch, or increase maxQueueTime.';
    expect(await queuedMessage({ maxQueueTime: 1_000 })).toBe(
      `No concurrency slot became free within 1000 ms (maxQueueTime). ${advice} Nothing was charged. [POST /v1/images/tasks]`,
    );
    const clock = virtualClock();
    const { fetch } = scripted(errorReply(429, 'concurrency_limit_exceeded'));
    const gateway = clientOf(fetch, { clock, maxQueueTime: 1_000 });
    expect(await messageOf(clock.settle(gateway.images.submit(image)))).toContain(advice);
  });

  test('says that it was queued if `totalTimeout` is shorter', async () => {
    expect(await queuedMessage({ totalTimeout: 1_000 })).toBe(
      'No concurrency slot became free within 1000 ms (totalTimeout). ' +
        'Send fewer requests at a time, use a batch, or increase totalTimeout. Nothing was charged. [POST /v1/images/tasks]',
    );
  });
});

test('the result of a call with `asResponse()` is rejected with the reason', async () => {
  const promise = clientOf(scripted(modelList).fetch).models.list();
  await promise.asResponse();
  expect(await messageOf(promise)).toBe(
    'The result cannot be read, because asResponse() left the body to you. The request was sent once. To get both, call withResponse() instead.',
  );
});

describe('`gateway.fetch`', () => {
  test.each([
    [{ body: 'x' }, 'HEAD method'],
    [{ method: 'no token' }, 'no token'],
    [{ headers: { 'x-a': 'canary\nb' } }, 'a header has an invalid name or value'],
  ])('says why %j is invalid, and that nothing was sent', async (init, reason) => {
    const { fetch, sent } = scripted(modelList);
    const message = await messageOf(clientOf(fetch).fetch('/v1/models', init));
    expect(message).toMatch(/^gateway\.fetch: the request is invalid: .*\. Nothing was sent\.$/);
    expect(message).toContain(reason);
    expect(message).not.toContain('canary');
    expect(sent).toEqual([]);
  });

  test('says why a paid request needs a body in memory', async () => {
    const { fetch } = scripted(modelList);
    const body = new Blob(['{}']).stream();
    const init = { method: 'POST', body, duplex: 'half' };
    expect(await messageOf(clientOf(fetch).fetch('/v1/images/tasks', init))).toBe(
      'gateway.fetch: the body of a paid request must not be a stream, which could not be sent again. Pass text or bytes. Nothing was sent.',
    );
  });
});

test('a hook that uses up the body is reported with the solution', async () => {
  const { fetch } = scripted(modelList);
  const hooks = {
    beforeRequest: [async ({ request }: { request: Request }) => void (await request.text())],
  };
  expect(await messageOf(clientOf(fetch, { hooks }).chat.completions.create(chat))).toBe(
    'hooks.beforeRequest has read the body of the request, so it cannot be sent. Read request.clone() instead. Nothing was charged. [POST /v1/chat/completions]',
  );
});

test('a batch row that was aborted early says what this run did', async () => {
  const { fetch, sent } = scripted(modelList);
  const gateway = clientOf(fetch);
  const signal = AbortSignal.abort();
  const [row] = await drain(
    gateway.batch(['A harbor'], () => gateway.images.submission(image, { signal })),
  );
  expect(row?.error?.message).toBe(
    'The row was aborted before this run sent it, so this run was not charged for it. To continue, run the batch again.',
  );
  expect(sent).toEqual([]);
});
