import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { ConfigurationError } from '../../../src/index.ts';
import type { Polygate, RequestOptions } from '../../../src/index.ts';
import { caught, chat, clientOf, drain, errorReply, image, onMock, scripted } from '../support.ts';
import { chatModels, failing, imageModels, modelsOf } from './fallback-support.ts';

type Call = (gateway: Polygate, options?: RequestOptions) => Promise<unknown>;
const answer = z.object({ text: z.string() });

const chatCalls: Readonly<Record<string, Call>> = {
  create: (gateway, options) => gateway.chat.completions.create(chat, options),
  'create with stream': async (gateway, options) =>
    drain(await gateway.chat.completions.create({ ...chat, stream: true }, options)),
  'create as a response': (gateway, options) =>
    gateway.chat.completions
      .create(chat, options)
      .asResponse()
      .then((response) => response.json()),
  stream: (gateway, options) => gateway.chat.completions.stream(chat, options).final(),
  parse: (gateway, options) =>
    gateway.chat.completions.parse({ ...chat, response_format: answer }, options),
  run: (gateway, options) => gateway.chat.completions.run({ ...chat, tools: [] }, options),
};

const taskCalls: Readonly<Record<string, Call>> = {
  submit: (gateway, options) => gateway.images.submit(image, options),
  generate: (gateway, options) => gateway.images.generate(image, options),
  submission: (gateway, options) => gateway.images.submission(image, options).send(),
};

describe.each([
  ['chats', chatCalls, chatModels, 'aurora-reasoner'],
  ['tasks', taskCalls, imageModels, 'prism-sketch'],
] as const)('of %s', (_, calls, models, second) => {
  test.each(Object.entries(calls))('%s uses the next model after a 503', async (__, call) => {
    const { mock, gateway } = failing({ status: 503 });
    await mock.clock.settle(call(gateway, models));
    expect(modelsOf(mock)[1]).toBe(second);
    expect(mock.invoice.map(({ model }) => model)).toEqual([second]);
    expect([...gateway.spend.byModel.keys()]).toEqual([second]);
  });

  test.each(Object.entries(calls))(
    '%s uses no other model after a lost response',
    async (__, call) => {
      const { mock, gateway } = failing({ reset: 'after' });
      const error = await mock.clock.settle(caught(call(gateway, models)));
      expect(error).toMatchObject({ outcome: 'unknown' });
      expect(error.attempts).toHaveLength(1);
      expect(modelsOf(mock)).toHaveLength(1);
      expect(mock.invoice).toHaveLength(1);
    },
  );

  test.each(Object.entries(calls))('%s rejects a list that repeats a model', async (__, call) => {
    const { mock, gateway } = onMock();
    for (const fallback of [[second, second], [chat.model, image.model], ['', second], [' ']]) {
      expect(await caught(call(gateway, { fallback }))).toBeInstanceOf(ConfigurationError);
    }
    expect(mock.requests).toEqual([]);
  });
});

describe('the next model is tried', () => {
  test.each([
    ['after a 429, once the client has retried it', { status: 429, code: 'rate_limit_exceeded' }],
    ['after a 429 for lack of a slot, once the queue has ended', { status: 429 }],
    ['after a 503', { status: 503 }],
    ['after a 404', { status: 404, code: 'model_not_found' }],
    ['after a 403', { status: 403, code: 'model_not_allowed' }],
    ['after a 400 with model_not_found', { status: 400, code: 'model_not_found' }],
    ['after a refused connection', { unreachable: true }],
  ])('%s', async (_, fault) => {
    const { mock, gateway } = onMock({}, { maxRetries: 2 });
    mock.fail({ model: chat.model, ...fault });
    const done = await mock.clock.settle(gateway.chat.completions.create(chat, chatModels));
    expect(done.model).toBe('aurora-reasoner');
    expect(mock.invoice).toHaveLength(1);
  });

  test.each([
    ['a 400', { status: 400 }],
    ['a 401', { status: 401 }],
    ['a 402', { status: 402 }],
    ['a 422', { status: 422 }],
    ['a 500', { status: 500 }],
    ['a 502', { status: 502 }],
    ['a limit of the user', { status: 429, code: 'user_limit_exceeded' }],
    ['a response that breaks off', { truncateBody: 20 }],
  ])('but not after %s', async (_, fault) => {
    const { mock, gateway } = failing(fault);
    await mock.clock.settle(caught(gateway.chat.completions.create(chat, chatModels)));
    expect(modelsOf(mock)).toEqual([chat.model]);
  });

  test('but not after the first chunk of a stream', async () => {
    const { mock, gateway } = failing({ cutStreamAfter: 2 });
    const error = await mock.clock.settle(
      caught(gateway.chat.completions.stream(chat, chatModels).final()),
    );
    expect(error.name).toBe('StreamTruncatedError');
    expect(modelsOf(mock)).toEqual([chat.model]);
  });

  test('but not once the signal has aborted or totalTimeout has passed', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 9 });
    mock.fail({ status: 503 });
    const options = { ...chatModels, totalTimeout: 3_000 };
    const error = await mock.clock.settle(caught(gateway.chat.completions.create(chat, options)));
    expect(error.name).toBe('RequestTimeoutError');
    expect(new Set(modelsOf(mock))).toEqual(new Set([chat.model]));

    const controller = new AbortController();
    const aborted = caught(
      gateway.chat.completions.create(chat, { ...chatModels, signal: controller.signal }),
    );
    controller.abort();
    expect((await mock.clock.settle(aborted)).name).toBe('AbortedError');
    expect(new Set(modelsOf(mock))).toEqual(new Set([chat.model]));
  });
});

test('totalTimeout limits all models together', async () => {
  const { mock, gateway } = onMock({ latencyMs: 2_000 }, { maxRetries: 0 });
  mock.fail({ status: 503 });
  const startedAt = mock.clock.now();
  const options = { ...chatModels, totalTimeout: 5_000 };
  const error = await mock.clock.settle(caught(gateway.chat.completions.create(chat, options)));
  expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'unknown' });
  expect(error.message).toContain('5000 ms (totalTimeout)');
  expect(mock.clock.now() - startedAt).toBe(5_000);
  expect(modelsOf(mock)).toHaveLength(3);
});

test('a response that arrives after totalTimeout, before its timer fires, ends the call', async () => {
  let now = 0;
  const clock = { now: () => now, sleep: () => new Promise<void>(() => undefined) };
  const { fetch, sent } = scripted((request) => {
    now += 6_000;
    return errorReply(503)(request);
  });
  const gateway = clientOf(fetch, { clock, maxRetries: 0, totalTimeout: 5_000 });
  const error = await caught(gateway.chat.completions.create(chat, chatModels));
  expect(error).toMatchObject({ status: 503, outcome: 'rejected' });
  expect(sent).toHaveLength(1);
});

test('the last error has what each model has responded', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  mock.fail({ model: 'aurora-chat', status: 503 });
  mock.fail({ model: 'aurora-reasoner', status: 404, code: 'model_not_found' });
  mock.fail({ model: 'lumen/vision-chat', unreachable: true });
  const error = await caught(gateway.chat.completions.create(chat, chatModels));
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
  expect(error.attempts).toEqual([
    {
      model: 'aurora-chat',
      status: 503,
      code: 'service_unavailable',
      message: expect.stringContaining('503'),
      outcome: 'rejected',
    },
    {
      model: 'aurora-reasoner',
      status: 404,
      code: 'model_not_found',
      message: expect.stringContaining('Nothing was charged.'),
      outcome: 'rejected',
    },
    { model: 'lumen/vision-chat', message: error.message, outcome: 'not-sent' },
  ]);
  expect(Object.keys(error)).not.toContain('attempts');
  expect(JSON.stringify(error)).toContain('aurora-reasoner');
});

test('a call without a fallback has no attempts', async () => {
  const { gateway } = failing({ status: 503 });
  expect(await caught(gateway.chat.completions.create(chat))).not.toHaveProperty('attempts');
});

test('later changes to params and list have no effect', async () => {
  const { mock, gateway } = failing({ status: 503 });
  const params = { ...image, extra_body: { note: 'first' } };
  const fallback = ['prism-sketch'];
  const submission = gateway.images.submission(params, { fallback });
  params.extra_body.note = 'second';
  fallback[0] = 'other';
  await submission.send();
  expect(mock.requests.map(({ body }) => body)).toEqual([
    { ...image, extra_body: { note: 'first' } },
    { ...image, extra_body: { note: 'first' }, model: 'prism-sketch' },
  ]);
});

test('extraBody sets the first model', async () => {
  const { mock, gateway } = failing({ status: 503 });
  const options = { extraBody: { model: 'aurora-reasoner' }, fallback: ['aurora-chat'] };
  await gateway.chat.completions.create(chat, options);
  expect(modelsOf(mock)).toEqual(['aurora-reasoner']);
});
