import { describe, expect, test } from 'vitest';

import { APIError } from '../../src/index.ts';
import type { ChatParams, ImageParams } from '../../src/index.ts';
import {
  jsonReply,
  clientOf,
  onMock,
  scripted,
  submitted,
  virtualClock,
} from '../client/support.ts';
import { codes, endpoints, headers, records, requests, states } from '../coverage/specification.ts';
import { allCalls } from '../support/calls.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';

const files = 'https://files.example';
const allChatFields = {
  model: 'lumen/vision-chat',
  messages: [
    { role: 'system', content: 'You are a sailor' },
    { role: 'user', content: 'Draw a harbor' },
  ],
  stream: false,
  extra_body: { image_config: { aspect_ratio: '16:9' }, seed: 7 },
} satisfies ChatParams;
const allImageFields = {
  model: 'prism-image',
  prompt: 'A harbor',
  n: 2,
  size: '1024x768',
  reference_image_urls: [`${files}/1.png`],
  task_type: 'image2image',
  image: `${files}/2.png`,
  aspect_ratio: 'auto',
  resolution: '1k',
  output_format: 'webp',
  num_images: 2,
} satisfies ImageParams;

const successes = allCalls.flatMap(({ route, sent, call }) =>
  (endpoints[route] ?? [])
    .filter((status) => status < 300)
    .map((status) => [route, status, sent, call] as const),
);

test.each(successes)('%s succeeds with a %i response', async (route, status, sent, call) => {
  const { gateway, mock } = onMock();
  const anyId = { id: 'x', status: 'processing', object: 'x' };
  // A task or material has to exist to be fetched by its id, and a delete has two documented statuses.
  if (/taskId|_id\}/.test(route)) mock.fail({ route: sent, status, body: anyId });
  expect(await call(gateway)).toBeTypeOf('object');
  expect(mock.requests).toHaveLength(1);
  const [request] = mock.requests;
  expect(`${request?.method} ${request?.path}`).toBe(sent);
  expect(request).toMatchObject({ search: '', status });
});

describe('bodies', () => {
  test.each(rows(requests['Chat body']))('a chat request sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.chat.completions.create(allChatFields);
    const { body } = mock.requests[0] ?? {};
    expect(difference(field, [{ read: body, sent: allChatFields }])).toBeUndefined();
    expect(body).toEqual(allChatFields);
  });

  test.each(rows(requests['Image body']))(
    'an image request sends %s unchanged',
    async (_, field) => {
      const { gateway, mock } = onMock();
      await gateway.images.submit(allImageFields);
      await gateway.images.submit(allImageFields, { route: 'generations' });
      for (const { body, status } of mock.requests) {
        expect(difference(field, [{ read: body, sent: allImageFields }])).toBeUndefined();
        expect({ body, status }).toEqual({ body: allImageFields, status: 202 });
      }
    },
  );
});

describe('headers', () => {
  test.each(headers['Headers of a chat response'])(
    'reads %s of a chat response into meta',
    async (name) => {
      const { gateway, mock } = onMock({ concurrencyLimit: 3 });
      const call = gateway.chat.completions.create(allChatFields, { requestId: 'mine-1' });
      const { meta } = await call.withResponse();
      const read: Record<string, [read: unknown, expected: unknown]> = {
        'x-request-id': [meta.requestId, 'mine-1'],
        'x-svc-charge-usd': [meta.chargeUsd, mock.invoice[0]?.usd],
        'x-svc-wallet': [meta.wallet, 'unified'],
        'x-svc-concurrency-limit': [meta.concurrency.limit, 3],
        'x-svc-concurrency-remaining': [meta.concurrency.remaining, 2],
        'x-svc-concurrency-source': [meta.concurrency.source, 'user_override'],
      };
      const [value, expected] = read[name] ?? [];
      expect(expected).toBeDefined();
      expect(value).toBe(expected);
    },
  );

  test.each(headers['Headers of a request'])(
    'sends %s only with the requests that use it',
    async (name) => {
      const { gateway, mock } = onMock();
      await gateway.public.status();
      await gateway.account.retrieve();
      await gateway.images.submit(allImageFields);
      await gateway.materials.create({ url: `${files}/a.png`, type: 'image' });
      const expected: Record<string, boolean[]> = {
        authorization: [false, true, true, true],
        'x-idempotency-key': [false, false, true, false],
        'idempotency-key': [false, false, false, true],
      };
      const sent = mock.requests.map((request) => Object.hasOwn(request.headers, name));
      expect(sent).toEqual(expected[name]);
    },
  );
});

describe('errors', () => {
  test.each(rows(records['Error envelope']))(
    'exposes %s of the error envelope',
    async (_, field) => {
      const body = {
        error: { message: 'No', type: 'billing_error', code: 'insufficient_balance' },
      };
      const gateway = clientOf(scripted(jsonReply(402, body)).fetch);
      const error = await rejection(
        APIError,
        Promise.resolve(gateway.images.submit(allImageFields)),
      );
      expect(difference(field, [{ read: error.body, sent: body }])).toBeUndefined();
      const { type, code } = error;
      expect({ type, code }).toEqual({ type: 'billing_error', code: 'insufficient_balance' });
      expect(error.message).toContain('No');
    },
  );

  test.each(rows(records['Key balance error envelope']))(
    'exposes %s of the error envelope of the key balance',
    async (_, field) => {
      const body = { success: false, message: 'Invalid token' };
      const gateway = clientOf(scripted(jsonReply(401, body)).fetch);
      const error = await rejection(APIError, Promise.resolve(gateway.account.balance()));
      expect(difference(field, [{ read: error.body, sent: body }])).toBeUndefined();
      expect(error).toMatchObject({ name: 'AuthenticationError', status: 401 });
      expect(error.message).toContain('Invalid token');
    },
  );

  test.each(codes)('exposes the code %s with any status', async (code) => {
    for (const status of [400, 404, 409, 429, 503]) {
      const body = { error: { message: 'No', type: 'invalid_request_error', code } };
      const options = { maxRetries: 0, concurrency: false } as const;
      const gateway = clientOf(scripted(jsonReply(status, body)).fetch, options);
      const error = await rejection(
        APIError,
        Promise.resolve(gateway.images.submit(allImageFields)),
      );
      expect(error).toMatchObject({ status, code, body });
      expect(error.message).toContain(code);
    }
  });
});

describe('image and video tasks', () => {
  test.each(states['Terminal status of other tasks'])('end at the status %s', async (status) => {
    for (const kind of ['images', 'videos'] as const) {
      const record = { id: 'task_1', status, result: { outputs: [`${files}/1`] } };
      const { fetch, sent } = scripted(submitted, jsonReply(200, record));
      const clock = virtualClock();
      const gateway = clientOf(fetch, { clock });
      const ended: Promise<string> = gateway[kind]
        .generate({ model: 'm', prompt: 'A harbor' })
        .then(
          (generation) => generation.rawStatus,
          (error: unknown) => (error as Error).name,
        );
      expect(await clock.settle(ended)).toBe(status === 'failed' ? 'TaskFailedError' : status);
      expect(sent).toHaveLength(2);
    }
  });
});
