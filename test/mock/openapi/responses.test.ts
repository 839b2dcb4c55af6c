import { describe, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { callerOf, chat, codeOf, image, music, speech, video } from '../caller.ts';
import type { Caller } from '../caller.ts';
import { operations } from './document.ts';
import type { Operation } from './validator.ts';
import { provoke, requests } from './requests.ts';

const stops = operations.flatMap((operation) =>
  operation.statuses.map((status) => [operation.route, status, operation] as const),
);

test('the tour visits every operation', () => {
  expect(operations.map(({ route }) => route).toSorted()).toEqual(Object.keys(requests).toSorted());
});

describe('an answer is as documented:', () => {
  test.each(stops)('%s %s', async (route, status, operation) => {
    for (const response of await provoke(route, status)) {
      expect(await problemsOf(operation, response)).toEqual([]);
      expect(String(response.status)).toBe(status === '4XX' ? '429' : status);
    }
  });
});

test.each(operations)('$route answers nothing that is not documented', async (operation) => {
  for (const status of ['400', '401', '402', '403', '404', '409', '413', '429']) {
    for (const response of await provoke(operation.route, status)) {
      expect(await problemsOf(operation, response)).toEqual([]);
    }
  }
});

async function problemsOf(operation: Operation, response: Response): Promise<string[]> {
  const { status, headers } = response;
  return operation.problems({ status, headers, text: await response.clone().text() });
}

/** A gateway whose every answer is held against the document, and every body that it accepts. */
function guided(options: MockGatewayOptions = {}): { mock: MockGateway; caller: Caller } {
  const mock = createMockGateway({ clock: 'virtual', ...options });
  const fetch: MockGateway['fetch'] = async (input, init) => {
    const response = await mock.fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? 'GET';
    const operation = operations.find((entry) => entry.matches(method, pathname));
    if (operation === undefined) throw new Error(`${method} ${pathname} is not documented`);
    expect(await problemsOf(operation, response)).toEqual([]);
    if (response.ok && typeof init?.body === 'string') {
      expect(operation.bodyProblems(JSON.parse(init.body))).toEqual([]);
    }
    return response;
  };
  return { mock, caller: callerOf({ ...mock, fetch }) };
}

const talk = (fields: object) => ({ ...chat, ...fields });
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };

test.each([
  ['a stream', talk({ stream: true, stream_options: { include_usage: true } })],
  ['two answers', talk({ n: 2, stream: true })],
  ['a tool call', talk({ tools: [tool], tool_choice: 'required' })],
  ['a streamed tool call', talk({ tools: [tool], tool_choice: 'required', stream: true })],
  ['reasoning', talk({ reasoning_effort: 'high' })],
  ['a picture', talk({ extra_body: { image_config: { aspect_ratio: '1:1' } } })],
  ['a streamed picture', talk({ modalities: ['text', 'image'], stream: true })],
])('a chat with %s is as documented', async (_title, body) => {
  const { caller } = guided();
  expect((await caller.post('/v1/chat/completions', body)).status).toBe(200);
});

test('an error inside a stream is as documented', async () => {
  const { mock, caller } = guided();
  mock.fail({ streamErrorAfter: 2 });
  const response = await caller.post('/v1/chat/completions', talk({ stream: true }));
  expect(await response.text()).toContain('"error"');
});

describe.each([
  ['/v1/images/tasks', image],
  ['/v1/videos', video],
  ['/v1/audio/tasks', music],
  ['/v1/audio/tasks', speech],
])('a task of %s is as documented', (path, body) => {
  test.each<MockGatewayOptions>([
    {},
    { tasks: { outcome: 'failed' } },
    { assumptions: { A4: 'succeeded', A5: 'output' } },
  ])('at every stage under %o', async (options) => {
    const { mock, caller } = guided(options);
    const headers = { 'x-idempotency-key': 'one' };
    const { id } = await caller.submit(path, body, headers);
    for (const stage of ['queued', 'in_progress', 'over']) {
      const { status } = await caller.read(`${path}/${id}`);
      if (stage !== 'over') expect(status).toBe(stage);
      const replay = await caller.post(path, body, headers);
      expect(replay.headers.get('x-svc-idempotent-replay')).toBe('true');
      await mock.clock.advance(3000);
    }
  });
});

test('the lists of models in other styles and of voices are as documented', async () => {
  const { mock, caller } = guided();
  await caller.get('/v1/models', { 'x-api-key': mock.apiKey, 'anthropic-version': '1' });
  await caller.get('/v1/models', { 'x-goog-api-key': mock.apiKey });
  await caller.get(`/v1/models?key=${mock.apiKey}`);
  await caller.post('/v1/audio/voices/design', { prompt: 'warm', text: 'Hello' });
  expect((await caller.read('/v1/audio/voices')).data.length).toBeGreaterThan(1);
});

const file = { url: 'https://files.example/a.png', type: 'image' };
const person = { consent_confirmed: true, callback_url: 'https://app.example/done' };
const register = (caller: Caller, key: string, fields: object = {}) =>
  caller.submit('/v1/materials', { ...file, ...fields }, { 'idempotency-key': key });

test.each<MockGatewayOptions>([
  {},
  { materials: { outcome: 'failed', deleteMs: 1000 } },
  { assumptions: { A21: 'absent' } },
])('materials in every state are as documented under %o', async (options) => {
  const { mock, caller } = guided(options);
  const plain = await register(caller, 'plain', { name: 'A' });
  const waiting = await register(caller, 'waiting', { real_person: person });
  const refused = await register(caller, 'refused', { real_person: person });
  expect(waiting.verification_url).toContain('/verify/');
  await mock.fetch(`${refused.verification_url}?outcome=failed`);
  for (const minutes of [0, 1, 40]) {
    await mock.clock.advance(minutes * 60_000);
    for (const { id } of [plain, waiting, refused]) await caller.get(`/v1/materials/${id}`);
    const page = await caller.read('/v1/materials?limit=1');
    await caller.get(`/v1/materials?after=${page.next_cursor ?? ''}`);
  }
  await caller.remove(`/v1/materials/${plain.id}`);
  await caller.get(`/v1/materials/${plain.id}`);
  await caller.get('/v1/materials?status=delete_pending&type=image');
});

const picture = (url: string) => [{ type: 'image_url', image_url: { url } }];

test('codes that only some requests meet are as documented', async () => {
  const { mock, caller } = guided();
  const { id } = await register(caller, 'soon-gone');
  await mock.clock.advance(5000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  await caller.remove(`/v1/materials/${id}`);
  const key = { 'x-idempotency-key': 'two words' };
  const refused: [Promise<Response>, string][] = [
    [caller.post('/v1/videos', { ...video, content: picture(uri) }), 'material_not_available'],
    [
      caller.post('/v1/videos', { ...video, content: picture('asset://a') }),
      'material_not_managed',
    ],
    [
      caller.post('/v1/images/tasks', { ...image, image: 'asset://a' }),
      'material_channel_unavailable',
    ],
    [caller.post('/v1/images/tasks', { ...image, model: 'none' }), 'model_not_found'],
    [caller.post('/v1/images/tasks', image, key), 'invalid_idempotency_key'],
    [
      caller.post('/v1/audio/voices/design', { prompt: 'a', text: 'b' }, key),
      'invalid_idempotency_key',
    ],
    [create({}), 'invalid_idempotency_key'],
    [create({ real_person: {} }, 'a'), 'visual_verification_consent_required'],
    [
      create({ real_person: { consent_confirmed: true } }, 'b'),
      'invalid_visual_verification_request',
    ],
    [caller.get('/v1/materials?after=none'), 'invalid_material_cursor'],
  ];
  function create(fields: object, name?: string): Promise<Response> {
    const headers = name === undefined ? {} : { 'idempotency-key': name };
    return caller.post('/v1/materials', { ...file, ...fields }, headers);
  }
  for (const [response, code] of refused) expect(await codeOf(await response)).toBe(code);
});
