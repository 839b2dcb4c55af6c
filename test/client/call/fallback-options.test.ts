import { describe, expect, test, vi } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import type { RequestOptions } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';
import { chatModels, chats, failing, modelsOf } from './fallback-support.ts';

describe('fallbackOn', () => {
  test('is called with the error and the model, only where another model is safe', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    mock.fail({ model: 'aurora-chat', status: 503 });
    mock.fail({ model: 'aurora-reasoner', status: 502 });
    const fallbackOn = vi.fn<() => boolean>(() => true);
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

test('fallbackOn is asked after a 409 without a code, which may be no conflict of keys', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  mock.fail({ model: image.model, status: 409, body: '<html>Conflict</html>' });
  const fallbackOn = vi.fn<() => boolean>(() => false);
  const submit = gateway.images.submit(image, { fallback: ['prism-sketch'], fallbackOn });
  expect(await caught(submit)).toMatchObject({ status: 409, outcome: 'rejected' });
  expect(fallbackOn).toHaveBeenCalledOnce();
  expect(mock.invoice).toEqual([]);
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
  const warn = vi.fn<(message: string) => void>();
  const ignore = () => undefined;
  const logger = { error: ignore, warn, info: ignore, debug: ignore };
  const { gateway } = failing({ status: 503 }, { logger, logLevel: 'warn' });
  await gateway.chat.completions.create(chat, chatModels);
  expect(warn.mock.calls).toEqual([
    [`polygate: ${chats}: aurora-chat 503 service_unavailable; falling back to aurora-reasoner`],
  ]);
});
