import { createHash } from 'node:crypto';

import { NotFoundError } from 'polygate';
import { defaultRoutes, memoryStore } from 'polygate/proxy';
import { expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { chat, image } from './limits/support.ts';
import { mount, sendRaw, startProxy } from './support.ts';

/** An isolated proxy with two users. */
async function setUp() {
  const store = memoryStore();
  const allow = [...defaultRoutes, 'GET /v1/materials'];
  const setup = await startProxy({ isolate: true, allow, store });
  const once = { maxRetries: 0 };
  return { ...setup, store, ann: setup.page(once, 'ann'), bob: setup.page(once, 'bob') };
}

const uuid = '0b5f2c1e-9d3a-4c7b-8e21-55aa10ff3c02';

test.each([
  ['a UUID in upper case', uuid, uuid.toUpperCase()],
  ['a UUID without hyphens', uuid, uuid.replaceAll('-', '')],
  ['a UUID in braces', uuid, `{${uuid}}`],
  ['a UUID that the service wrote in upper case', uuid.toUpperCase(), uuid],
  ['a UUID in a URL', uuid, `https://files.example/${uuid.toUpperCase()}/sample.mp3`],
  ['an escaped id in markup', 'voice_one', '<voice name="voice&#95;one">Hi</voice>'],
  ['an id that is escaped in hexadecimal', 'voice_one', '&#x76;oice_one'],
  ['an id with a zero-width space', 'voice_one', 'voice\u200b_one'],
  ['an id with spaces in markup', 'voice one', '<voice name="voice one">Hi</voice>'],
  ['a number in a URL', '4711', 'https://files.example/v1/tasks/4711/result.png'],
  ['a number in the query of a URL', '4711', 'https://files.example/result?task_id=4711&x=1'],
  ['an id with slashes in a URL', 'ann/voice/1', 'https://a.example/v1/voices/ann/voice/1?b=1'],
  ['an id with a slash in a sentence', 'vc/1', 'Read this with vc/1, please.'],
  ['an id with a # in a list', 'ann#1', 'vc_1,ann#1,vc_2'],
  ['an id with an ampersand', 'ann&co', 'voice:ann&co;speed=1'],
  ['an id in parentheses in quotes', 'ann(1)', 'cfg = {"voice":"ann(1)"};'],
  ['an id at the end of a long path', 'voice_1', `${'folder/'.repeat(100)}voice_1`],
])('rejects %s of another user in a body', async (_, id, text) => {
  const { store, ann, bob, mock } = await setUp();
  mock.fail({ route: 'POST /v1/images/tasks', status: 202, body: { id }, times: 1 });
  await ann.images.submit(image);
  await store.own('ann', [id]);
  const edit = { ...image, extra: text };
  const before = mock.requests.length;
  await rejection(NotFoundError, bob.images.submit(edit));
  expect(mock.requests).toHaveLength(before);
  expect(await ann.images.submit(edit)).toHaveProperty('id');
});

const small = createHash('shake256', { outputLength: 3_000_000 }).update('p').digest('base64');
const picture = `data:image/png;base64,${small}`;
const remark = 'At 10:30 we rent 3 boats (e.g. a 2-person kayak); see https://a.example/x?y=1. ';
const logLine = (index: number) =>
  `2026-11-29T10:${String(index % 60).padStart(2, '0')}:00.${index} INFO worker-${index % 8}: sent ${index * 7} B\n`;

test.each([
  ['a long chat', 2_000, (index: number) => `Message ${index}: ${remark.repeat(4)}`],
  ['logs', 1_000, (index: number) => logLine(index).repeat(3) + logLine(index + 7)],
  ['pictures in Markdown', 2, (index: number) => `Look: ![${index}](${picture}) Nice?`],
  [
    'German, Chinese and Thai',
    1_000,
    () => 'Die Küste, 今天天气很好，我们去海边。สวัสดีครับ '.repeat(20),
  ],
])('forwards %s, and looks up few names', async (_, length, contentOf) => {
  const { store, ann, mock } = await setUp();
  let names = 0;
  const { ownersOf } = store;
  store.ownersOf = async (resources) => {
    names += resources.length;
    return ownersOf(resources);
  };
  const messages = Array.from({ length }, (_unused, index) => ({
    role: 'user' as const,
    content: contentOf(index),
  }));
  await ann.chat.completions.create({ ...chat, messages });
  expect(mock.requests).toHaveLength(1);
  expect(names).toBeLessThan(20_000);
});

test.each([
  ['in a data URL', (data: string) => `data:image/png;base64,${data}`],
  ['alone', (data: string) => data],
  ['in a message', (data: string) => `See data:image/png;base64,${data} and reply.`],
])('forwards a picture of 20 MB %s', async (_, write) => {
  const { origin } = await startProxy({
    isolate: true,
    maxBodyBytes: 30_000_000,
    fetch: async () => Response.json({ id: 'task_1', status: 'queued' }),
  });
  const large = createHash('shake256', { outputLength: 20_000_000 }).update('p').digest('base64');
  const { status } = await sendRaw(origin, {
    method: 'POST',
    path: `${mount}/v1/images/tasks`,
    headers: { 'x-user': 'ann', 'content-type': 'application/json' },
    body: JSON.stringify({ ...image, picture: write(large) }),
  });
  expect(status).toBe(200);
});

test('removes the ids of others from all fields of a list', async () => {
  const { store, origin, mock } = await setUp();
  await store.own('ann', ['mat_1', 'mat_2']);
  await store.own('bob', ['mat_3']);
  mock.fail({
    route: 'GET /v1/materials',
    body: {
      object: 'list',
      data: [{ id: 'mat_1' }, { id: 'mat_2' }, { id: 'mat_3' }],
      first_id: 'mat_1',
      last_id: 'mat_3',
      next: '/v1/materials?after=mat_2',
      has_more: false,
    },
  });
  const { body } = await sendRaw(origin, {
    path: `${mount}/v1/materials`,
    headers: { 'x-user': 'bob' },
  });
  expect(JSON.parse(body)).toEqual({
    object: 'list',
    data: [{ id: 'mat_3' }],
    last_id: 'mat_3',
    has_more: false,
  });
});
