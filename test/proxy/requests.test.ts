import { expect, test } from 'vitest';

import { canary, openWay, send } from './support.ts';
import type { Wire } from './support.ts';
import { get, image, post, preflight, raw, without } from './wires.ts';

const app = 'https://app.example';

test.each<[string, Wire, number, string | undefined]>([
  // Paths
  ['the account', get('/v1/account'), 404, 'not_found'],
  ['the readiness', get('/v1/readiness'), 404, 'not_found'],
  ['the balance of the key', get('/api/usage/balance'), 404, 'not_found'],
  ['the materials of everybody', get('/v1/materials'), 404, 'not_found'],
  ['an unknown path', get('/v1/files'), 404, 'not_found'],
  ['the root', get('/'), 404, 'not_found'],
  ['another version', get('/v1beta/interactions'), 404, 'not_found'],
  ['another letter case', get('/V1/models'), 404, 'not_found'],
  ['a slash at the end', get('/v1/models/'), 404, 'not_found'],
  ['a double slash', get('/v1//models'), 404, 'not_found'],
  ['a double slash before', get('//v1/models'), 404, 'not_found'],
  ['a host in the path', raw('//evil.example/v1/models'), 404, 'not_found'],
  ['more than a route', get('/v1/models/a/b'), 404, 'not_found'],
  ['a route behind a route', get('/v1/models/v1/models'), 404, 'not_found'],
  ['dots to the account', get('/v1/models/../account'), 404, 'not_found'],
  ['encoded dots to the account', get('/v1/models/%2e%2E/account'), 404, 'not_found'],
  ['dots behind an encoded slash', get('/v1/models/..%2Faccount'), 404, 'not_found'],
  ['dots between encoded slashes', get('/v1/models/a%2F..%2F..%2Faccount'), 404, 'not_found'],
  ['dots encoded twice', get('/v1/models/%252e%252e%252faccount'), 404, 'not_found'],
  ['dots with a parameter', get('/v1/models/..;/account'), 404, 'not_found'],
  ['a back slash', get('/v1/models\\..\\account'), 404, 'not_found'],
  ['an encoded back slash', get('/v1/models/..%5Caccount'), 404, 'not_found'],
  ['an encoded slash in a task, without dots', get('/v1/images/tasks/a%2Fb'), 404, 'not_found'],
  ['a letter for the dot of a name', get('/v1/openapiXjson'), 404, 'not_found'],
  ['an encoded slash in a task', get('/v1/images/tasks/a%2F..%2F..%2Faccount'), 404, 'not_found'],
  ['an encoded slash for a slash', get('/v1%2Fmodels'), 404, 'not_found'],
  ['an encoded slash in the mount', raw('/api%2f..%2f/v1/models'), 404, 'not_found'],
  ['an encoded line end', get('/v1/models/a%0D%0AHost:%20evil'), 404, 'not_found'],
  ['an encoded NUL', get('/v1/models/a%00'), 404, 'not_found'],
  ['an encoded question mark', get('/v1/models/a%3Fkey=b'), 404, 'not_found'],
  ['an encoded fragment', get('/v1/models/a%23b'), 404, 'not_found'],
  ['bytes that are no text', get('/v1/models/%ff'), 404, 'not_found'],
  ['letters that look alike', get('/v1/models/%EF%BC%8E%EF%BC%8E'), 404, 'not_found'],
  // Queries
  ['a key as a parameter', get('/v1/models?key=sk-other'), 404, 'not_found'],
  [
    'an unknown parameter',
    get('/v1/models/aurora-chat?url=https://evil.example'),
    404,
    'not_found',
  ],
  ['a parameter twice', get('/v1/pricing?type=image&type=all'), 404, 'not_found'],
  ['a parameter in other letters', get('/v1/pricing?TYPE=all'), 404, 'not_found'],
  // Methods
  ['a method of another route', { ...get('/v1/models'), method: 'DELETE' }, 404, 'not_found'],
  ['GET for a POST', get('/v1/chat/completions'), 404, 'not_found'],
  ['PUT', { ...post('/v1/images/tasks', image), method: 'PUT' }, 404, 'not_found'],
  ['HEAD', { ...get('/v1/models'), method: 'HEAD' }, 404, undefined],
  [
    'a method in a header',
    { ...get('/v1/account', { 'x-http-method-override': 'GET' }) },
    404,
    'not_found',
  ],
  // Who asks
  ['a stranger', without(get('/v1/models'), 'x-user'), 401, 'sign_in_required'],
  ['a stranger at a public route', without(get('/v1/status'), 'x-user'), 401, 'sign_in_required'],
  [
    'a key in place of a user',
    without(get('/v1/models', { authorization: `Bearer ${canary}` }), 'x-user'),
    401,
    'sign_in_required',
  ],
  // Where from
  [
    "a stranger's page",
    post('/v1/images/tasks', image, { origin: 'https://evil.example' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page without an origin',
    post('/v1/images/tasks', image, { origin: 'null' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page without an origin that calls itself ours',
    get('/v1/models', { origin: 'null', 'sec-fetch-site': 'same-origin' }),
    403,
    'origin_not_allowed',
  ],
  [
    'the own host, but http',
    get('/v1/models', { origin: 'http://app.example', host: 'app.example:443' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a name that begins alike',
    get('/v1/models', { origin: `${app}.evil.example` }),
    403,
    'origin_not_allowed',
  ],
  [
    "an image tag on a stranger's page",
    get('/v1/models', { 'sec-fetch-site': 'cross-site' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page of a neighbour',
    get('/v1/models', { 'sec-fetch-site': 'same-site' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page that calls itself ours',
    get('/v1/models', {
      origin: 'http://evil.example',
      host: 'evil.example',
      'sec-fetch-site': 'cross-site',
    }),
    403,
    'origin_not_allowed',
  ],
  [
    'a preflight of a stranger',
    preflight({ origin: 'https://evil.example' }),
    403,
    'origin_not_allowed',
  ],
  ['a preflight of nobody', preflight({}), 403, 'origin_not_allowed'],
  // Bodies and headers
  [
    'a form',
    post('/v1/images/tasks', image, { 'content-type': 'text/plain' }),
    415,
    'unsupported_media_type',
  ],
  [
    'a form that looks like JSON',
    post('/v1/images/tasks', image, { 'content-type': 'text/plain; application/json' }),
    415,
    'unsupported_media_type',
  ],
  [
    'no type',
    without(post('/v1/images/tasks', image), 'content-type'),
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    post('/v1/images/tasks', image, { 'content-encoding': 'gzip' }),
    415,
    'unsupported_media_type',
  ],
  [
    'a long body',
    post('/v1/images/tasks', 'x'.repeat(2_000), { 'content-length': '2000' }),
    413,
    'request_too_large',
  ],
  [
    'a long body in pieces',
    post(
      '/v1/images/tasks',
      Array.from({ length: 20 }, () => 'x'.repeat(100)),
    ),
    413,
    'request_too_large',
  ],
  [
    'a key with a space',
    post('/v1/images/tasks', image, { 'x-idempotency-key': 'a b' }),
    400,
    'invalid_idempotency_key',
  ],
  [
    'a key that is too long',
    post('/v1/images/tasks', image, { 'x-idempotency-key': 'a'.repeat(201) }),
    400,
    'invalid_idempotency_key',
  ],
  [
    'an empty key',
    post('/v1/materials', '{}', { 'idempotency-key': '' }),
    400,
    'invalid_idempotency_key',
  ],
])('%s is refused, and the gateway hears nothing of it', async (_, wire, status, code) => {
  const { mock, origin, reports } = await openWay({ maxBodyBytes: 1_000 });
  const reply = await send(origin, wire);
  expect(reply).toMatchObject({ status, code });
  expect(mock.requests).toEqual([]);
  expect(reports).toEqual([]);
  expect(JSON.stringify(reply)).not.toContain(canary);
  expect(reply.headers['access-control-allow-origin']).toBeUndefined();
});

test('a request that cannot be written down as one ends its connection and nothing else', async () => {
  const { mock, origin } = await openWay();
  await expect(send(origin, raw('http://evil.example/v1/models'))).rejects.toThrow('hang up');
  expect(await send(origin, get('/v1/models'))).toMatchObject({ status: 200 });
  expect(mock.requests).toHaveLength(1);
});
