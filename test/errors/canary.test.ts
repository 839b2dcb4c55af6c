import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import type { Polygate, PolygateOptions, RequestOptions } from '../../src/index.ts';
import {
  WatchedClock,
  caught,
  clientOf,
  completed,
  drain,
  eventStream,
  firstEvent,
  hang,
  modelList,
  onMock,
  errorReply,
  reset,
  scripted,
  streamReply,
  submitted,
  textReply,
  turns,
  unreachable,
  completeStream,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';

const apiKey = 'sk-canary-8c1f';
const prompt = 'prompt-canary-77aa';
const image = { model: 'prism-image', prompt };
const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: prompt }] };

/** Every representation of a value that a program could print. */
function printed(value: unknown): string {
  const texts = [
    inspect(value, { showHidden: true, depth: 10, getters: true, maxArrayLength: null }),
    // Node prints uncaught errors without their own method for printing.
    inspect(value, { showHidden: true, depth: 10, getters: true, customInspect: false }),
    String(value),
    attempt(() => JSON.stringify(value)),
    attempt(() => inspect(structuredClone(value), { showHidden: true, depth: 10 })),
  ];
  for (let error: unknown = value; error instanceof Error; error = error.cause) {
    texts.push(error.name, error.message, error.stack ?? '', inspect(error.cause, { depth: 10 }));
  }
  return texts.join('\n');
}

function attempt(work: () => string | undefined): string {
  try {
    return work() ?? '';
  } catch (error) {
    return inspect(error, { showHidden: true, depth: 10 });
  }
}

/** A logger that records all lines. */
function recordingLogger() {
  const lines: string[] = [];
  const record = (...parts: unknown[]) =>
    void lines.push(parts.map((part) => printed(part)).join(' '));
  return { lines, logger: { error: record, warn: record, info: record, debug: record } };
}

type Call = (gateway: Polygate, options?: RequestOptions) => Promise<unknown>;
const calls: Readonly<Record<string, Call>> = {
  'a GET': (gateway, options) => gateway.models.list({}, options),
  'a list in the style of Anthropic': (gateway, options) =>
    gateway.models.list({ style: 'anthropic' }, options),
  'a submit': (gateway, options) => gateway.images.submit(image, options),
  'a chat': (gateway, options) => gateway.chat.completions.create(chat, options),
  'a stream': (gateway, options) => drain(gateway.chat.completions.stream(chat, options)),
};

/** A fetch whose errors reference the entire request. */
const leakyFetch: Reply = (sent) => {
  const request = { url: sent.url, headers: Object.fromEntries(sent.headers), body: sent.body };
  const inner = Object.assign(new Error('socket closed'), { code: 'ECONNRESET', request });
  throw Object.assign(new TypeError('fetch failed', { cause: inner }), {
    request,
    config: request,
  });
};

const failures: Readonly<Record<string, Reply>> = {
  'a refused connection': unreachable,
  'a reset': reset,
  'an error that references the request': leakyFetch,
  'a timeout': hang,
  'a 400': errorReply(400),
  'a 401': errorReply(401, 'invalid_api_key'),
  'a 503': errorReply(503),
  'a 502 with HTML': textReply(502, '<html>'),
  'a redirect': () =>
    new Response(null, { status: 302, headers: { location: 'https://x.example' } }),
  'a non-JSON response': textReply(200, '<html>'),
  'an invalid response': textReply(200, '[]', 'application/json'),
  'a truncated stream': streamReply(
    firstEvent,
    (body) => body.error(new TypeError('terminated')),
    eventStream,
  ),
};

const cases = Object.entries(failures).flatMap(([failure, reply]) =>
  Object.entries(calls).map(([name, call]) => [failure, name, reply, call] as const),
);

describe('the API key does not appear in printed output', () => {
  test.each(cases)('after %s in response to %s', async (_, __, reply, call) => {
    const { lines, logger } = recordingLogger();
    const clock = new WatchedClock();
    const { fetch, sent } = scripted(reply);
    const options: PolygateOptions = { apiKey, clock, logger, logLevel: 'debug', timeout: 1_000 };
    const gateway = clientOf(fetch, options);
    const error = await caught(clock.settle(call(gateway)));
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`);
    expect(printed(error)).not.toContain(apiKey);
    expect(printed(gateway)).not.toContain(apiKey);
    expect(lines.join('\n')).not.toContain(apiKey);
    expect(lines.join('\n')).not.toContain(prompt);
  });

  test('of clients, their namespaces and their views', async () => {
    const { gateway } = onMock({ keys: [{ key: apiKey }] }, { headers: { 'x-api-key': apiKey } });
    await gateway.images.submit(image);
    const other = gateway.withOptions({ maxRetries: 1 });
    const parts = [gateway, other, gateway.chat, gateway.chat.completions, gateway.images];
    for (const part of [...parts, gateway.spend, gateway.concurrency, gateway.models]) {
      expect(printed(part)).not.toContain(apiKey);
    }
  });

  test('of promises, responses, tasks, receipts and streams', async () => {
    const { gateway, mock } = onMock({ keys: [{ key: apiKey }] });
    const call = gateway.images.submit(image);
    expect(printed(call)).not.toContain(apiKey);
    const { data: task, response, meta } = await call.withResponse();
    const generation = await mock.clock.settle(task.wait());
    const stream = gateway.chat.completions.stream(chat);
    expect(printed(stream)).not.toContain(apiKey);
    for await (const _ of stream) break;
    const raw = await gateway.chat.completions.create({ ...chat, stream: true });
    for (const value of [call, task, response, meta, generation, stream, raw, task.updates()]) {
      expect(printed(value)).not.toContain(apiKey);
    }
    expect(mock.requests[0]?.headers.authorization).toContain(apiKey);
    expect(JSON.stringify(task)).not.toContain(prompt);
    expect(JSON.stringify(task)).toContain(task.id);
    raw.abort();
  });

  test('of aborted calls and of errors that carry a task', async () => {
    const { gateway, mock } = onMock(
      { keys: [{ key: apiKey }], tasks: { outcome: 'failed' } },
      { maxRetries: 0 },
    );
    const stop = new AbortController();
    const aborted = caught(gateway.images.wait('task_1', { signal: stop.signal }));
    stop.abort();
    const failed = await caught(mock.clock.settle(gateway.images.generate(image)));
    const late = await caught(
      mock.clock.settle(gateway.images.generate(image, { waitTimeout: 1 })),
    );
    expect([failed.name, late.name]).toEqual(['TaskFailedError', 'TaskWaitTimeoutError']);
    for (const error of [await aborted, failed, late]) expect(printed(error)).not.toContain(apiKey);
  });

  test('if a function provides it', async () => {
    const { lines, logger } = recordingLogger();
    const { fetch } = scripted(leakyFetch);
    const options: PolygateOptions = { apiKey: async () => apiKey, logger, logLevel: 'debug' };
    const gateway = clientOf(fetch, { ...options, maxRetries: 0 });
    const error = await caught(gateway.images.submit(image));
    for (const value of [error, gateway, lines]) expect(printed(value)).not.toContain(apiKey);
  });
});

describe('the log', () => {
  test.each([
    ['a GET', modelList],
    ['a submit', submitted],
    ['a chat', completed],
    ['a stream', () => new Response(completeStream, eventStream)],
  ] as const)(
    'at level debug contains neither the API key nor a prompt after %s that succeeds on a retry',
    async (name, reply) => {
      const { lines, logger } = recordingLogger();
      const clock = new WatchedClock();
      const { fetch } = scripted(errorReply(503), reply);
      const gateway = clientOf(fetch, { apiKey, clock, logger, logLevel: 'debug' });
      await clock.settle(calls[name]?.(gateway) ?? Promise.reject(new Error('no such call')));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join('\n')).not.toContain(apiKey);
      expect(lines.join('\n')).not.toContain(prompt);
    },
  );

  test('at level debug contains the error of a callback but no prompt', async () => {
    const { lines, logger } = recordingLogger();
    const onCharge = () => {
      throw new Error('broken callback');
    };
    const { gateway } = onMock(
      { keys: [{ key: apiKey }] },
      { logger, logLevel: 'debug', onCharge },
    );
    await gateway.images.submit(image);
    await turns();
    expect(lines.join('\n')).toContain('broken callback');
    expect(lines.join('\n')).not.toContain(apiKey);
    expect(lines.join('\n')).not.toContain(prompt);
  });

  test.each([
    ['off', 0],
    ['error', 0],
    ['warn', 1],
  ] as const)('is filtered at level %s', async (logLevel, count) => {
    const { lines, logger } = recordingLogger();
    const clock = new WatchedClock();
    const { fetch } = scripted(errorReply(503), modelList);
    await clock.settle(clientOf(fetch, { clock, logger, logLevel }).models.list());
    expect(lines).toHaveLength(count);
  });
});
