import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../src/index.ts';
import type { Polygate } from '../../src/index.ts';
import { jsonReply, baseURL, caught, clientOf, drain, scripted } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';

/** Every method that takes an id, and the path that precedes the id. */
const calls: Readonly<
  Record<string, [string, (gateway: Polygate, id: string) => Promise<unknown>]>
> = {
  'models.retrieve': ['/v1/models/', async (gateway, id) => gateway.models.retrieve(id)],
  'public.error': ['/v1/errors/', async (gateway, id) => gateway.public.error(id)],
  'images.retrieve': ['/v1/images/tasks/', async (gateway, id) => gateway.images.retrieve(id)],
  'images.task': ['/v1/images/tasks/', async (gateway, id) => gateway.images.task(id).retrieve()],
  'videos.wait': ['/v1/videos/', async (gateway, id) => gateway.videos.wait(id)],
  'audio.retrieve': ['/v1/audio/tasks/', async (gateway, id) => gateway.audio.retrieve(id)],
  resume: [
    '/v1/videos/',
    async (gateway, id) => gateway.resume({ v: 1, kind: 'video', id }).retrieve(),
  ],
  'materials.retrieve': ['/v1/materials/', async (gateway, id) => gateway.materials.retrieve(id)],
  'materials.delete': ['/v1/materials/', async (gateway, id) => gateway.materials.delete(id)],
  'materials.wait': ['/v1/materials/', async (gateway, id) => gateway.materials.wait(id)],
  'materials.updates': [
    '/v1/materials/',
    async (gateway, id) => drain(gateway.materials.updates(id)),
  ],
};

const hostile = [
  ['', '.', '..', './', '../', '/..', '/.', 'a/..', '../a', 'a/../b', 'a/./b'],
  [
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2e.',
    'a/%2e%2e/b',
    '..%2f',
    '..%2Fadmin',
    '%2e%2e%2fadmin',
    'a%5c..',
  ],
  ['\\', '..\\', 'a\\b', '\\..\\'],
  ['\u0000', 'a\nb', 'a\rb', 'a\tb', '\u001b[2J', '\u007f', 'a\u0085b', '\u009b'],
  ['\ud800', 'a\udfff', `${'../'.repeat(33_000)}x`, `${'a'.repeat(100_000)}\u0000`],
].flat();
/** Adds a name that is short enough for a title. */
const named = (id: string) => [JSON.stringify(id).slice(0, 40), id] as const;
const notStrings = [undefined, null, 7, {}, [], ['..'], new String('..')];

describe.each(Object.entries(calls))('%s', (_, [path, call]) => {
  test.each(hostile.map(named))('rejects %s before sending a request', async (_name, id) => {
    const { fetch, sent } = scripted(jsonReply(404, {}));
    const error = await rejection(ConfigurationError, call(clientOf(fetch), id));
    expect(error.message.length).toBeLessThan(200);
    expect(sent).toEqual([]);
  });

  test.each(notStrings)('rejects %j, which is not a string', async (id) => {
    const { fetch, sent } = scripted(jsonReply(404, {}));
    await rejection(ConfigurationError, call(clientOf(fetch), id as string));
    expect(sent).toEqual([]);
  });

  const unusual = [
    'a/b',
    '//evil.example/x',
    'https://evil.example/',
    '@evil.example',
    'a?key=b#c',
    '%',
    '%2f',
    '...',
    '..a',
    '..;',
    'модель 🎬 \u202e\u2028',
    '．．',
    '__proto__',
    'toString',
    'x'.repeat(100_000),
  ];
  test.each(unusual.map(named))('sends %s as a single path segment', async (_name, id) => {
    const { fetch, sent } = scripted(jsonReply(401, {}));
    expect((await caught(call(clientOf(fetch), id))).name).toBe('AuthenticationError');
    expect(sent[0]?.url).toBe(baseURL + path + encodeURIComponent(id));
    expect(new URL(sent[0]?.url ?? '').href).toBe(sent[0]?.url);
  });
});

test.each(['/v1/..%2fadmin', '/v1/..%5Cadmin', '/v1/a%2f%2e%2e%2fb', '/v1/\u0085'])(
  'request() rejects the path %j, which a server may resolve differently',
  async (path) => {
    const { fetch, sent } = scripted(jsonReply(404, {}));
    await rejection(ConfigurationError, clientOf(fetch).request({ method: 'GET', path }));
    expect(sent).toEqual([]);
  },
);

test('a receipt from a file cannot name where the key is sent, nor a header', async () => {
  const { fetch, sent } = scripted(jsonReply(200, { id: 't-1', status: 'running' }));
  const receipt: unknown = {
    v: 1,
    kind: 'video',
    id: 't-1',
    pollPath: '@attacker.example/',
    headers: [['host', 'attacker.example']],
    latest: { data: { status: 'succeeded', urls: ['https://attacker.example'] }, at: 0 },
    meta: { idempotentReplay: true },
  };
  const task = clientOf(fetch).resume(receipt);
  expect(task.latest).toBeUndefined();
  expect(task.replayed).toBe(false);
  await task.retrieve();
  expect(sent.map(({ url }) => url)).toEqual([`${baseURL}/v1/videos/t-1`]);
  expect(sent[0]?.headers.get('host')).toBeNull();
});
