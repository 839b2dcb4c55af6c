import { describe, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { callerOf, chat, codeOf, image, music, speech, video } from '../caller.ts';
import type { Caller } from '../caller.ts';
import { operations } from './document.ts';
import { provoke, requests } from './requests.ts';
import type { Operation } from './validator.ts';

const cases = operations.flatMap((operation) =>
  operation.statuses.map((status) => [operation.route, status, operation] as const),
);

test('there are sample requests for existing operations only', () => {
  expect(operations.map(({ route }) => route)).toEqual(
    expect.arrayContaining(Object.keys(requests)),
  );
});

describe('a response matches the document:', () => {
  test.each(cases)('%s %s', async (route, status, operation) => {
    for (const response of await provoke(route, status)) {
      expect(await problemsOf(operation, response)).toEqual([]);
      expect(String(response.status)).toBe(status === '4XX' ? '429' : status);
    }
  });
});

test.each(operations)('$route returns nothing that is not documented', async (operation) => {
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

/** A gateway that validates all its responses and accepted bodies against the document. */
function startValidated(options: MockGatewayOptions = {}): { mock: MockGateway; caller: Caller } {
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

const chatWith = (fields: object) => ({ ...chat, ...fields });
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };

test.each([
  ['a stream', chatWith({ stream: true, stream_options: { include_usage: true } })],
  ['two choices', chatWith({ n: 2, stream: true })],
  ['a tool call', chatWith({ tools: [tool], tool_choice: 'required' })],
  ['a streamed tool call', chatWith({ tools: [tool], tool_choice: 'required', stream: true })],
  ['reasoning', chatWith({ reasoning_effort: 'high' })],
  ['an image', chatWith({ extra_body: { image_config: { aspect_ratio: '1:1' } } })],
  ['a streamed image', chatWith({ modalities: ['text', 'image'], stream: true })],
])('a chat with %s matches the document', async (_title, body) => {
  const { caller } = startValidated();
  expect((await caller.post('/v1/chat/completions', body)).status).toBe(200);
});

test('an error inside a stream matches the document', async () => {
  const { mock, caller } = startValidated();
  mock.fail({ streamErrorAfter: 2 });
  const response = await caller.post('/v1/chat/completions', chatWith({ stream: true }));
  expect(await response.text()).toContain('"error"');
});

describe.each([
  ['/v1/images/tasks', image],
  ['/v1/videos', video],
  ['/v1/audio/tasks', music],
  ['/v1/audio/tasks', speech],
])('a task of %s matches the document', (path, body) => {
  test.each<MockGatewayOptions>([
    {},
    { tasks: { outcome: 'failed' } },
    { assumptions: { A4: 'succeeded', A5: 'output' } },
  ])('at every stage with %o', async (options) => {
    const { mock, caller } = startValidated(options);
    const headers = { 'x-idempotency-key': 'one' };
    const { id } = await caller.submit(path, body, headers);
    for (const stage of ['queued', 'in_progress', 'ended']) {
      const { status } = await caller.read(`${path}/${id}`);
      if (stage !== 'ended') expect(status).toBe(stage);
      const replay = await caller.post(path, body, headers);
      expect(replay.headers.get('x-svc-idempotent-replay')).toBe('true');
      await mock.clock.advance(3000);
    }
  });
});

test('model lists in other styles and voice lists match the document', async () => {
  const { mock, caller } = startValidated();
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
])('materials in every state match the document with %o', async (options) => {
  const { mock, caller } = startValidated(options);
  const plain = await register(caller, 'plain', { name: 'A' });
  const unverified = await register(caller, 'unverified', { real_person: person });
  const rejected = await register(caller, 'rejected', { real_person: person });
  expect(unverified.verification_url).toContain('/verify/');
  await mock.fetch(`${rejected.verification_url}?outcome=failed`);
  for (const minutes of [0, 1, 40]) {
    await mock.clock.advance(minutes * 60_000);
    for (const { id } of [plain, unverified, rejected]) await caller.get(`/v1/materials/${id}`);
    const page = await caller.read('/v1/materials?limit=1');
    await caller.get(`/v1/materials?after=${page.next_cursor ?? ''}`);
  }
  await caller.remove(`/v1/materials/${plain.id}`);
  await caller.get(`/v1/materials/${plain.id}`);
  await caller.get('/v1/materials?status=delete_pending&type=image');
});

const imageContent = (url: string) => [{ type: 'image_url', image_url: { url } }];

test('error codes of specific requests match the document', async () => {
  const { mock, caller } = startValidated();
  const { id } = await register(caller, 'soon-gone');
  await mock.clock.advance(5000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  await caller.remove(`/v1/materials/${id}`);
  const key = { 'x-idempotency-key': 'two words' };
  const rejected: [Promise<Response>, string][] = [
    [caller.post('/v1/videos', { ...video, content: imageContent(uri) }), 'material_not_available'],
    [
      caller.post('/v1/videos', { ...video, content: imageContent('asset://a') }),
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
  for (const [response, code] of rejected) expect(await codeOf(await response)).toBe(code);
});
