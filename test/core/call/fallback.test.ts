import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { ConfigurationError } from '../../../src/index.ts';
import type { Charge, Polygate, RequestOptions } from '../../../src/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';
import { caught, chat, drain, image, onMock } from '../support.ts';

const chatModels = { fallback: ['aurora-reasoner', 'lumen/vision-chat'] };
const imageModels = { fallback: ['prism-sketch'] };
const chats = 'POST /v1/chat/completions';
const submits = 'POST /v1/images/tasks';

/** The models that requests have named, in order. */
const modelsOf = (mock: MockGateway) =>
  mock.requests.flatMap(({ method, body }) =>
    method === 'POST' ? [(body as { model: string }).model] : [],
  );

/** A gateway whose first chat and image models fail. */
function failing(fault: Fault, options = {}) {
  const run = onMock({}, { maxRetries: 0, ...options });
  run.mock.fail({ model: chat.model, ...fault });
  run.mock.fail({ model: image.model, ...fault });
  return run;
}

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

describe('fallbackOn', () => {
  test('is called with the error and the model, only where another model is safe', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    mock.fail({ model: 'aurora-chat', status: 503 });
    mock.fail({ model: 'aurora-reasoner', status: 502 });
    const fallbackOn = vi.fn(() => true);
    await caught(gateway.chat.completions.create(chat, { ...chatModels, fallbackOn }));
    expect(fallbackOn.mock.calls).toEqual([
      [expect.objectContaining({ status: 503 }), 'aurora-chat'],
    ]);
    expect(modelsOf(mock)).toEqual(['aurora-chat', 'aurora-reasoner']);
  });

  test.each<[string, () => unknown]>([
    ['returns false', () => false],
    ['returns a promise', async () => true],
    [
      'throws',
      () => {
        throw new Error('oops');
      },
    ],
  ])('that %s ends the call', async (_, decide) => {
    const { mock, gateway } = failing({ status: 503 });
    const fallbackOn = decide as () => boolean;
    const error = await caught(
      gateway.chat.completions.create(chat, { ...chatModels, fallbackOn }),
    );
    expect(error).toMatchObject({ status: 503 });
    expect(modelsOf(mock)).toEqual([chat.model]);
  });
});

describe('fallbackCooldown', () => {
  test('skips a model that was over capacity, also for clients of withOptions', async () => {
    const { mock, gateway } = failing({ status: 503, times: 1 });
    await gateway.chat.completions.create(chat, chatModels);
    await mock.clock.advance(9_999);
    await gateway.withOptions({ maxRetries: 1 }).chat.completions.create(chat, chatModels);
    expect(modelsOf(mock)).toEqual([chat.model, 'aurora-reasoner', 'aurora-reasoner']);
    await mock.clock.advance(1);
    await gateway.chat.completions.create(chat, chatModels);
    expect(modelsOf(mock).at(-1)).toBe(chat.model);
  });

  test('skips no model that does not exist or could not be reached', async () => {
    for (const fault of [{ status: 404 }, { unreachable: true }]) {
      const { mock, gateway } = failing({ ...fault, times: 1 });
      await gateway.chat.completions.create(chat, chatModels);
      await gateway.chat.completions.create(chat, chatModels);
      expect(modelsOf(mock).at(-1)).toBe(chat.model);
    }
  });

  test('does not apply to a call without a fallback', async () => {
    const { mock, gateway } = failing({ status: 503, times: 1 });
    await gateway.chat.completions.create(chat, chatModels);
    await gateway.chat.completions.create(chat);
    expect(modelsOf(mock).at(-1)).toBe(chat.model);
  });

  test('tries all models if all were over capacity', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    mock.fail({ status: 503, times: 3 });
    await caught(gateway.chat.completions.create(chat, chatModels));
    const done = await gateway.chat.completions.create(chat, chatModels);
    expect(done.model).toBe(chat.model);
  });

  test('can be turned off', async () => {
    const { mock, gateway } = failing({ status: 503, times: 1 }, { fallbackCooldown: 0 });
    await gateway.chat.completions.create(chat, chatModels);
    await gateway.chat.completions.create(chat, chatModels);
    expect(modelsOf(mock).at(-1)).toBe(chat.model);
  });
});

describe('a task with one key', () => {
  const keyed = { ...imageModels, idempotencyKey: 'order-17' };

  test('sends the same key to all models', async () => {
    const { mock, gateway } = failing({ status: 503 });
    const task = await gateway.images.submit(image, keyed);
    expect(mock.requests.map(({ headers }) => headers['x-idempotency-key'])).toEqual([
      'order-17',
      'order-17',
    ]);
    expect(task).toMatchObject({ model: 'prism-sketch', idempotencyKey: 'order-17' });
    expect(task.toJSON()).toMatchObject({ model: 'prism-sketch' });
    expect(gateway.resume(task.toJSON()).model).toBe('prism-sketch');
  });

  test('has no model in its receipt without a fallback', async () => {
    const { gateway } = onMock();
    const task = await gateway.images.submit(image);
    expect(task.model).toBe(image.model);
    expect(JSON.parse(JSON.stringify(task))).not.toHaveProperty('model');
  });

  test.each(['replay', 'conflict'] as const)(
    'is paid for once if it is submitted again after a fallback: %s',
    async (A13) => {
      const { mock, gateway } = onMock({ assumptions: { A13 } }, { maxRetries: 0 });
      mock.fail({ model: image.model, status: 503, times: 1 });
      mock.fail({ model: 'prism-sketch', reset: 'after', times: 1 });
      const lost = await caught(gateway.images.submit(image, keyed));
      expect(lost).toMatchObject({ outcome: 'unknown' });
      const other = onMock({}, { baseURL: mock.baseURL, fetch: mock.fetch, apiKey: mock.apiKey });
      const task = await other.gateway.images.submit(image, keyed);
      expect(task).toMatchObject({ replayed: true, model: 'prism-sketch' });
      expect(mock.invoice).toHaveLength(1);
    },
  );

  test('finds the task of a model that is skipped after an overload', async () => {
    const { mock, gateway } = onMock({ assumptions: { A13: 'conflict' } }, { maxRetries: 0 });
    mock.fail({ model: image.model, reset: 'after', times: 1 });
    await caught(gateway.images.submit(image, keyed));
    mock.fail({ model: image.model, status: 503, times: 1 });
    await gateway.images.submit(image, { ...keyed, idempotencyKey: 'order-18' });
    const task = await gateway.images.submit(image, { ...keyed, fallbackOn: () => false });
    expect(task).toMatchObject({ replayed: true, model: image.model });
    expect(mock.invoice).toHaveLength(2);
  });

  test('fails with the conflict if the key belongs to a request outside the list', async () => {
    const { mock, gateway } = onMock({ assumptions: { A13: 'conflict' } });
    await gateway.images.submit({ ...image, prompt: 'Other' }, { idempotencyKey: 'order-17' });
    const error = await caught(gateway.images.submit(image, keyed));
    expect(error).toMatchObject({ status: 409, outcome: 'rejected' });
    expect(error.attempts).toHaveLength(2);
    expect(mock.invoice).toHaveLength(1);
  });

  test('names its model in errors, charges and the ledger', async () => {
    const onCharge = vi.fn<(charge: Charge) => void>();
    const { mock, gateway } = failing({ status: 503 }, { onCharge });
    mock.fail({ model: 'prism-sketch', malformed: true, route: submits });
    const error = await caught(gateway.images.submit(image, keyed));
    expect(error.task).toMatchObject({ model: 'prism-sketch' });
    expect(onCharge.mock.calls).toEqual([[expect.objectContaining({ model: 'prism-sketch' })]]);
    expect([...gateway.spend.byModel.keys()]).toEqual(['prism-sketch']);
  });
});

describe('the budget', () => {
  test('applies to each model', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.011 } });
    await gateway.models.list();
    const task = await gateway.images.submit(image, imageModels);
    expect(task.model).toBe('prism-sketch');
    expect(modelsOf(mock)).toEqual(['prism-sketch']);
  });

  test('keeps what an earlier request with the key may have cost', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.021 }, maxRetries: 0 });
    await gateway.models.list();
    const keyed = { ...imageModels, idempotencyKey: 'order-17' };
    mock.fail({ route: submits, reset: 'after', times: 1 });
    await caught(gateway.images.submit(image, keyed));
    mock.fail({ route: submits, status: 404, code: 'model_not_found', times: 2 });
    await caught(gateway.images.submit(image, keyed));
    const error = await caught(gateway.images.submit(image));
    expect(error.name).toBe('BudgetExceededError');
    expect(mock.invoice).toHaveLength(1);
  });
});

test('only chats and tasks accept a fallback', async () => {
  const { mock, gateway } = onMock();
  const options: RequestOptions = { fallback: ['aurora-chat'] };
  const calls = [
    gateway.models.list({}, options),
    gateway.voices.design({ prompt: 'An old sailor', preview_text: 'Ahoy' }, options),
    gateway.request({ method: 'POST', path: '/v1/chat/completions', body: chat }, options),
    gateway.images.task('task_1').retrieve(options),
    gateway.images.submission(image).send(options),
  ];
  for (const call of calls) expect(await caught(call)).toBeInstanceOf(ConfigurationError);
  expect(mock.requests).toEqual([]);
});

test('a fallback is logged', async () => {
  const warn = vi.fn();
  const logger = { error: vi.fn(), warn, info: vi.fn(), debug: vi.fn() };
  const { gateway } = failing({ status: 503 }, { logger, logLevel: 'warn' });
  await gateway.chat.completions.create(chat, chatModels);
  expect(warn.mock.calls).toEqual([
    [`polygate: ${chats}: aurora-chat 503 service_unavailable; falling back to aurora-reasoner`],
  ]);
});
