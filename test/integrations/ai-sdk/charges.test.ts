import { experimental_generateVideo, generateImage, generateSpeech, generateText } from 'ai';
import type { Fault } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { caught } from '../../client/support.ts';
import { onProvider, rewriting } from './support.ts';

type Provider = ReturnType<typeof onProvider>;

/** One call of each kind, with the default `maxRetries` of the AI SDK. */
const calls = {
  text: {
    route: 'POST /v1/chat/completions',
    run: ({ polygate }: Provider, headers?: Record<string, string>) =>
      generateText({
        model: polygate('aurora-chat'),
        prompt: 'Hello',
        ...(headers && { headers }),
      }),
  },
  image: {
    route: 'POST /v1/images/tasks',
    run: ({ polygate }: Provider, headers?: Record<string, string>) =>
      generateImage({
        model: polygate.image('prism-image'),
        prompt: 'A harbor',
        ...(headers && { headers }),
      }),
  },
  speech: {
    route: 'POST /v1/audio/tasks',
    run: ({ polygate }: Provider, headers?: Record<string, string>) =>
      generateSpeech({
        model: polygate.speech('echo-speech'),
        text: 'Hello',
        voice: 'calm-narrator',
        ...(headers && { headers }),
      }),
  },
  video: {
    route: 'POST /v1/videos',
    run: ({ polygate, mock }: Provider, headers?: Record<string, string>) =>
      experimental_generateVideo({
        model: polygate.video('tide-video'),
        prompt: 'Waves',
        poll: { delay: (ms) => mock.clock.sleep(ms ?? 0) },
        download: async () => ({ data: new Uint8Array([1]), mediaType: 'video/mp4' }),
        ...(headers && { headers }),
      }),
  },
};
const tasks = ['image', 'speech', 'video'] as const;

const faults: [string, Omit<Fault, 'route'>][] = [
  ['a connection that is lost after acceptance', { reset: 'after' }],
  ['a 502 after acceptance', { status: 502, handled: true }],
  ['a 500 after acceptance', { status: 500, handled: true }],
  ['a truncated response', { truncateBody: 20 }],
];

describe.each(faults)('%s', (_, fault) => {
  test('charges a chat once, and is reported as a polygate error with an unknown outcome', async () => {
    const provider = onProvider();
    provider.mock.fail({ route: calls.text.route, ...fault });
    const error = await caught(provider.settle(calls.text.run(provider)));
    expect(error).toMatchObject({ name: expect.stringMatching(/Error$/), outcome: 'unknown' });
    expect(error.name).not.toMatch(/^AI_/);
    expect(provider.mock.requests).toHaveLength(1);
    expect(provider.mock.invoice).toHaveLength(1);
  });

  test.each(tasks)(
    'resends a submission of %s with its key, which is charged once',
    async (kind) => {
      const provider = onProvider();
      const { route, run } = calls[kind];
      provider.mock.fail({ route, ...fault, times: 1 });
      const result = await provider.settle<unknown>(run(provider));
      expect(result).toMatchObject({ warnings: [] });
      provider.mock.assertPaidOnce();
      expect(provider.mock.invoice).toHaveLength(1);
    },
  );

  test.each(tasks)('charges %s once even if every attempt fails', async (kind) => {
    const provider = onProvider();
    const { route, run } = calls[kind];
    provider.mock.fail({ route, ...fault });
    const error = await caught(provider.settle<unknown>(run(provider)));
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: expect.any(String) });
    expect(provider.mock.invoice).toHaveLength(1);
  });

  test.each(tasks)('charges %s once if the caller repeats the call with its key', async (kind) => {
    const provider = onProvider({}, { maxRetries: 0 });
    const { route, run } = calls[kind];
    provider.mock.fail({ route, ...fault, times: 1 });
    const headers = { 'Idempotency-Key': 'order-17' };
    await expect(provider.settle<unknown>(run(provider, headers))).rejects.toMatchObject({
      idempotencyKey: 'order-17',
    });
    await provider.settle<unknown>(run(provider, headers));
    expect(provider.mock.invoice).toMatchObject([{ idempotencyKey: 'order-17' }]);
  });
});

describe('with default retries,', () => {
  test.each(Object.keys(calls) as (keyof typeof calls)[])(
    'an insufficient balance ends a call of %s at once',
    async (kind) => {
      const provider = onProvider({ wallet: { usd: 0 } });
      const error = await caught(provider.settle<unknown>(calls[kind].run(provider)));
      expect(error).toMatchObject({ name: 'PaymentRequiredError', outcome: 'rejected' });
      expect(provider.mock.requests).toHaveLength(1);
      expect(provider.mock.invoice).toEqual([]);
    },
  );

  test('a chat that the service rejects with 503 is retried by the client alone', async () => {
    const provider = onProvider();
    provider.mock.fail({ route: calls.text.route, status: 503 });
    const error = await caught(provider.settle(calls.text.run(provider)));
    expect(error).toMatchObject({ name: 'ServiceUnavailableError', outcome: 'rejected' });
    expect(provider.mock.requests).toHaveLength(4);
  });

  test('a completion without choices is charged once', async () => {
    const isPost = (method: string) => method === 'POST';
    const provider = onProvider({}, {}, (fetch) =>
      rewriting(fetch, isPost, () => ({ choices: [] })),
    );
    const error = await caught(provider.settle(calls.text.run(provider)));
    expect(error).toMatchObject({ name: 'ResponseValidationError', outcome: 'unknown' });
    expect(error.message).toMatch(/did not contain any choices.*may have been charged/);
    expect(provider.mock.invoice).toHaveLength(1);
  });

  test.each(['image', 'speech'] as const)('an empty result of %s is charged once', async (kind) => {
    const polled = (method: string, path: string) => method === 'GET' && path.includes('/tasks/');
    const empty = (body: object) => ({ ...body, image_url: null, audio_url: null, result: {} });
    const provider = onProvider({}, {}, (fetch) => rewriting(fetch, polled, empty));
    const error = await caught(provider.settle<unknown>(calls[kind].run(provider)));
    expect(error).toMatchObject({
      name: 'ResponseValidationError',
      task: { kind: expect.any(String) },
    });
    expect(provider.mock.invoice).toHaveLength(1);
  });

  test.each(['image', 'speech'] as const)('a failed task of %s is submitted once', async (kind) => {
    const provider = onProvider({ tasks: { outcome: 'failed' } });
    const error = await caught(provider.settle<unknown>(calls[kind].run(provider)));
    expect(error).toMatchObject({ name: 'TaskFailedError', task: {}, generation: {} });
    expect(provider.mock.tasks).toHaveLength(1);
  });
});
