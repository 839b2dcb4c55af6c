import { expect, test } from 'vitest';

import type { PolygateOptions } from '../../../src/index.ts';
import { post, scriptedClient } from '../fetch/support.ts';
import { chat, coded, image, streamReply, textReply } from '../support.ts';
import type { Reply } from '../support.ts';

/** Responds with this status, and with a body that breaks off. */
const lostBody = (status: number, headers = {}): Reply =>
  streamReply('{"error":', (body) => body.error(coded('ECONNRESET')), { status, headers });

/** Responds with this status, and with a body that is larger than the client reads. */
const largeBody = (status: number): Reply => textReply(status, 'x'.repeat(1_048_577));

const failWith = (reply: Reply, options: PolygateOptions = {}) =>
  scriptedClient([reply], { maxRetries: 2, ...options });

test.each([
  // The proxy responds with it to a chat that it has already forwarded.
  { status: 409, outcome: 'unknown', text: 'may have been charged' },
  { status: 400, outcome: 'rejected', text: 'Nothing was charged.' },
  { status: 404, outcome: 'rejected', text: 'Nothing was charged.' },
  { status: 500, outcome: 'unknown', text: 'may have been charged' },
  // Some codes with this status leave open whether the request was carried out.
  { status: 503, outcome: 'unknown', text: 'may have been charged' },
])(
  'a $status of a chat whose body is lost has the outcome $outcome, and is final',
  async ({ status, outcome, text }) => {
    for (const reply of [lostBody(status), largeBody(status)]) {
      const { gateway, sent, fail } = failWith(reply);
      const error = await fail(gateway.chat.completions.create(chat));
      expect(error).toMatchObject({ status, outcome, message: expect.stringContaining(text) });
      expect(error).not.toHaveProperty('body');
      expect(sent).toHaveLength(1);
    }
  },
);

/** Responds with JSON that is cut off, as if the body had ended there: its length was not announced. */
const cutOff = (status: number): Reply => textReply(status, '{"error":{"code":"attempt_rep');

test.each(
  [409, 503].flatMap((status) =>
    ['{"error":{"code":"attempt_rep', '[{"err', ''].map((text) => [status, text] as const),
  ),
)(
  'a %i of a chat whose body is cut off after "%s" leaves the outcome open',
  async (status, text) => {
    const { gateway, sent, fail } = failWith(textReply(status, text));
    const fallback = { fallback: ['another-model'] };
    const error = await fail(gateway.chat.completions.create(chat, fallback));
    expect(error).toMatchObject({ status, outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  },
);

test('a 429 of a chat whose body is lost is retried', async () => {
  const { gateway, sent, fail } = failWith(lostBody(429));
  const error = await fail(gateway.chat.completions.create(chat));
  expect(error).toMatchObject({ status: 429, outcome: 'rejected' });
  expect(sent).toHaveLength(3);
});

test.each([
  ['no body', () => new Response(null, { status: 503 })],
  ['a length of 0', () => new Response('', { status: 503, headers: { 'content-length': '0' } })],
  [
    'an end that is announced',
    () => new Response('', { status: 503, headers: { 'transfer-encoding': 'chunked' } }),
  ],
])('a 503 of a chat with %s is read, and retried', async (_, reply) => {
  const { gateway, sent, fail } = failWith(reply);
  const error = await fail(gateway.chat.completions.create(chat));
  expect(error).toMatchObject({ status: 503, outcome: 'rejected', body: '' });
  expect(sent).toHaveLength(3);
});

test.each([
  { status: 409, problem: 'body is lost', reply: lostBody(409) },
  { status: 503, problem: 'body is lost', reply: lostBody(503) },
  { status: 409, problem: 'JSON is cut off', reply: cutOff(409) },
])('a $status of a task whose $problem is retried with its key', async ({ status, reply }) => {
  const { gateway, sent, fail } = failWith(reply);
  const error = await fail(gateway.images.submit(image));
  expect(error).toMatchObject({ status, outcome: 'unknown' });
  const keys = sent.map(({ headers }) => headers.get('x-idempotency-key'));
  expect(keys).toEqual(Array(3).fill(error.idempotencyKey));
});

test.each([
  [400, 'rejected'],
  [409, 'unknown'],
  [429, 'rejected'],
  [500, 'unknown'],
  [503, 'unknown'],
])('a chat whose hook fails at a %i has the outcome %s', async (status, outcome) => {
  const throwError = () => {
    throw new Error('broken');
  };
  const hooks = { afterResponse: [throwError] };
  const { gateway, sent, fail } = failWith(lostBody(status), { hooks });
  const error = await fail(gateway.chat.completions.create(chat));
  expect(error).toMatchObject({ name: 'HookError', outcome });
  expect(sent).toHaveLength(1);
});

// Its code could be `material_create_outcome_uncertain`.
const material = { url: 'https://files.example/cat.png', type: 'image', name: 'Cat' } as const;

test('a material whose creation gets a 503 with a lost body is created under one key', async () => {
  const { gateway, sent, fail } = failWith(lostBody(503));
  const error = await fail(gateway.materials.create(material));
  expect(error).toMatchObject({ status: 503, outcome: 'unknown' });
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
  expect(keys).toEqual(Array(3).fill(error.idempotencyKey));
});

test('a material is not created again without a key after a 503 with a lost body', async () => {
  const { gateway, sent, fail } = failWith(lostBody(503));
  const request = { method: 'POST', path: '/v1/materials', body: material } as const;
  const error = await fail(gateway.request(request));
  expect(error).toMatchObject({ status: 503, outcome: 'unknown' });
  expect(sent).toHaveLength(1);
});

test('a library does not create a material with another key after a 503 with a lost body', async () => {
  const { gateway, settle } = failWith(lostBody(503));
  const response = await settle(gateway.fetch('/v1/materials', post(material)));
  expect(response.status).toBe(503);
  // The library does not know the key, which the client has generated.
  expect(response.headers.get('x-should-retry')).toBe('false');
});
