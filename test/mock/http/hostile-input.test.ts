import { describe, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, image, video } from '../caller.ts';

const mock = createMockGateway({ clock: 'virtual', wallet: { usd: 1e6 } });
const caller = callerOf(mock);
const json = { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' };
const sendText = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  mock.fetch(mock.baseURL + path, { method: 'POST', headers: { ...json, ...headers }, body });
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const errorOf = async (response: Response) => {
  const { error } = await response.json();
  return [response.status, error.code, error.message];
};
const invalid = 'invalid_request_parameter';

describe('a deeply nested body', () => {
  test.each([
    ['/v1/videos', { ...video, extra_body: { a: '…' } }, 'extra_body', invalid],
    ['/v1/images/tasks', { ...image, other: '…' }, 'other', invalid],
    ['/v1/chat/completions', { ...chat, tools: '…' }, 'tools', invalid],
    [
      '/v1/materials',
      { url: 'https://files.example/a.png', type: 'image', other: '…' },
      'other',
      'invalid_material_request',
    ],
  ])('is rejected by %s with %j, with the name of the field', async (path, body, field, code) => {
    const keys = { 'idempotency-key': 'deep', 'x-idempotency-key': 'deep' };
    const text = JSON.stringify(body).replace('"…"', nested(200_000));
    const message = `\`${field}\` is nested deeper than 100 levels`;
    expect(await errorOf(await sendText(path, text, keys))).toEqual([400, code, message]);
  });

  test('is accepted below the limit', async () => {
    const text = JSON.stringify({ ...video, extra_body: { a: '…' } }).replace('"…"', nested(90));
    expect((await sendText('/v1/videos', text, { 'x-idempotency-key': 'k' })).status).toBe(202);
  });
});

test('a body with too many values is rejected with the name of the field', async () => {
  const messages = Array.from({ length: 100_001 }, () => 5);
  const message = '`messages` contains more than 100000 values';
  const response = await caller.post('/v1/chat/completions', { ...chat, messages });
  expect(await errorOf(response)).toEqual([400, invalid, message]);
});

test('a body that is not UTF-8 is rejected, not repaired', async () => {
  const [before = '', after = ''] = JSON.stringify({ ...image, prompt: '…' }).split('…');
  const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
  const response = await sendText('/v1/images/tasks', bytes);
  expect(await errorOf(response)).toEqual([400, invalid, 'The body is not valid UTF-8']);
});

test('__proto__ in a body is an ordinary field', async () => {
  const body = '{"model":"prism-image","prompt":"x","__proto__":{"n":50}}';
  await sendText('/v1/images/tasks', body);
  expect(mock.invoice.at(-1)?.usd).toBe(0.02);
});

test.each([
  ['/v1/status?locale=ja-JP&locale=ko-KR', 'locale', invalid],
  ['/v1/pricing?type=chat&type=all', 'type', invalid],
  ['/v1/audio/voices?model=echo-speech&model=echo-speech', 'model', invalid],
  ['/v1/materials?limit=5&limit=6', 'limit', 'invalid_material_request'],
  ['/v1/models?key=a&key=b', 'key', invalid],
])('%s repeats a parameter and is rejected with its name', async (path, name, code) => {
  const message = `\`${name}\` must not be repeated`;
  expect(await errorOf(await caller.get(path))).toEqual([400, code, message]);
});

test.each([
  ['/v1/materials/%ZZ', 404],
  ['/v1/videos/%', 404],
  ['/v1/models/%E0%A4%A', 404],
  ['/v1/errors/%FF', 404],
  ['/v1/materials?limit=%ZZ', 400],
  ['/v1/materials?after=%FF', 400],
  ['/v1/audio/voices?model=%C3%28', 400],
  ['/v1/%73tatus', 404],
  ['/v1/videos/..%2f..%2faccount', 404],
  ['/v1/videos/:taskId', 404],
  ['/v1/videos/__proto__', 404],
  ['/media/constructor/1.svg', 404],
])('GET %s returns %i in the error envelope', async (path, status) => {
  const response = await caller.get(path);
  expect(response.status).toBe(status);
  expect((await response.json()).error.message).toEqual(expect.any(String));
});

describe('a message names the field and its allowed values', () => {
  test.each([
    ['/v1/videos', { ...video, size: '8p' }, '`size` must be one of 720p, 1080p for tide-video'],
    [
      '/v1/images/tasks',
      { model: 'prism-sketch', prompt: 'x', size: '4000x4000' },
      '`size` must match one of the resolutions 1K, 2K for prism-sketch',
    ],
    [
      '/v1/images/tasks',
      { ...image, num_images: 2, n: -1 },
      '`n` must be an integer from 1 to 100',
    ],
    ['/v1/videos', { ...video, duration: 1e300 }, '`duration` must be an integer within ±2^53'],
    [
      '/v1/audio/voices/clone',
      { audio_url: 'https://files.example/a.wav', accuracy: [] },
      '`accuracy` must be a number or a string',
    ],
    [
      '/v1/chat/completions',
      { ...chat, messages: [{ role: 'user' }] },
      '`messages[0].content` is required',
    ],
    [
      '/v1/chat/completions',
      { ...chat, tools: Array.from({ length: 129 }, () => ({ function: { name: 'f' } })) },
      '`tools` must have at most 128 entries',
    ],
    [
      '/v1/chat/completions',
      { ...chat, stop: Array.from({ length: 129 }, () => 'x') },
      '`stop` must have at most 128 entries',
    ],
  ])('when %s rejects %j', async (path, body, message) => {
    expect(await errorOf(await caller.post(path, body))).toEqual([400, invalid, message]);
  });
});

test('an assistant message can have tool calls and no content', async () => {
  const messages = [...chat.messages, { role: 'assistant', tool_calls: [] }];
  expect((await caller.post('/v1/chat/completions', { ...chat, messages })).status).toBe(200);
});

describe('a response stays small', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`p${index}`, { $ref: '#' }]),
  );
  const withSchema = (schema: unknown) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  });
  test.each<[string, Record<string, unknown>]>([
    ['a schema with many references to itself', withSchema({ type: 'object', properties })],
    ['a schema of many parts', withSchema({ allOf: Array.from({ length: 90_000 }, () => ({})) })],
    [
      'nested arrays',
      withSchema({
        type: 'array',
        minItems: 100,
        items: { type: 'array', minItems: 100, items: {} },
      }),
    ],
    [
      'a long default value, repeated',
      withSchema({
        type: 'array',
        minItems: 100,
        items: { $ref: '#/$defs/long' },
        $defs: { long: { default: 'x'.repeat(1_000_000) } },
      }),
    ],
    [
      'many tools with recursive parameters',
      {
        tools: Array.from({ length: 128 }, () => ({
          function: { name: 'Hello', parameters: { type: 'object', properties } },
        })),
      },
    ],
    [
      'a long field name, repeated',
      withSchema({ type: 'object', properties: { ['x'.repeat(1_000_000)]: { $ref: '#' } } }),
    ],
    [
      'long strings',
      withSchema({ type: 'array', minItems: 100, items: { minLength: 1e9, type: 'string' } }),
    ],
    [
      'a prompt of a million words',
      { messages: [{ role: 'user', content: 'x y '.repeat(500_000) }] },
    ],
    ['millions of spaces', { messages: [{ role: 'user', content: `a${' '.repeat(2_000_000)}b` }] }],
    [
      'images of a long prompt',
      {
        messages: [{ role: 'user', content: 'word '.repeat(400_000) }],
        extra_body: { image_config: {} },
      },
    ],
  ])('for %s', async (_name, fields) => {
    const response = await caller.post('/v1/chat/completions', { ...chat, n: 128, ...fields });
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeLessThan(64e6);
  });
});
