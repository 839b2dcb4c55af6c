import { expect, test } from 'vitest';

import { get, image, post, preflight, rawPath, without } from './raw-requests.ts';
import { canary, startProxy, sendRaw } from './support.ts';
import type { RawRequest } from './support.ts';

const app = 'https://app.example';

test.each<[string, RawRequest, number, string | undefined]>([
  // Paths
  ['the account', get('/v1/account'), 404, 'not_found'],
  ['the readiness', get('/v1/readiness'), 404, 'not_found'],
  ['the balance of the key', get('/api/usage/balance'), 404, 'not_found'],
  ['the list of materials', get('/v1/materials'), 404, 'not_found'],
  ['an unknown path', get('/v1/files'), 404, 'not_found'],
  ['the root', get('/'), 404, 'not_found'],
  ['another version', get('/v1beta/interactions'), 404, 'not_found'],
  ['another letter case', get('/V1/models'), 404, 'not_found'],
  ['two slashes at the end', get('/v1/models//'), 404, 'not_found'],
  ['only slashes', get('/v1//'), 404, 'not_found'],
  ['a double slash', get('/v1//models'), 404, 'not_found'],
  ['a double slash before the version', get('//v1/models'), 404, 'not_found'],
  ['a host in the path', rawPath('//evil.example/v1/models'), 404, 'not_found'],
  ['a path longer than the route', get('/v1/models/a/b'), 404, 'not_found'],
  ['a route after a route', get('/v1/models/v1/models'), 404, 'not_found'],
  ['dots to the account', get('/v1/models/../account'), 404, 'not_found'],
  ['encoded dots to the account', get('/v1/models/%2e%2E/account'), 404, 'not_found'],
  ['dots before an encoded slash', get('/v1/models/..%2Faccount'), 404, 'not_found'],
  ['dots between encoded slashes', get('/v1/models/a%2F..%2F..%2Faccount'), 404, 'not_found'],
  ['dots encoded twice', get('/v1/models/%252e%252e%252faccount'), 404, 'not_found'],
  ['dots with a parameter', get('/v1/models/..;/account'), 404, 'not_found'],
  ['a backslash', get('/v1/models\\..\\account'), 404, 'not_found'],
  ['an encoded backslash', get('/v1/models/..%5Caccount'), 404, 'not_found'],
  ['dots in a task id, encoded twice', get('/v1/images/tasks/%252e%252e%252fa'), 404, 'not_found'],
  ['a backslash in a task id', get('/v1/images/tasks/a%5Cb'), 404, 'not_found'],
  ['dots with a parameter in a task id', get('/v1/images/tasks/a%2F..%3B%2Fb'), 404, 'not_found'],
  ['a line break in a task id', get('/v1/images/tasks/a%0Ab'), 404, 'not_found'],
  ['a letter instead of the dot in a file name', get('/v1/openapiXjson'), 404, 'not_found'],
  [
    'an encoded slash and dots in a task id',
    get('/v1/images/tasks/a%2F..%2F..%2Faccount'),
    404,
    'not_found',
  ],
  ['an encoded slash instead of a slash', get('/v1%2Fmodels'), 404, 'not_found'],
  ['an encoded slash in the mount path', rawPath('/api%2f..%2f/v1/models'), 404, 'not_found'],
  ['an encoded line break', get('/v1/models/a%0D%0AHost:%20evil'), 404, 'not_found'],
  ['an encoded NUL', get('/v1/models/a%00'), 404, 'not_found'],
  ['an encoded question mark', get('/v1/models/a%3Fkey=b'), 404, 'not_found'],
  ['an encoded fragment', get('/v1/models/a%23b'), 404, 'not_found'],
  ['bytes that are not UTF-8', get('/v1/models/%ff'), 404, 'not_found'],
  ['characters that look like dots', get('/v1/models/%EF%BC%8E%EF%BC%8E'), 404, 'not_found'],
  // Queries
  ['an API key as a query parameter', get('/v1/models?key=sk-other'), 404, 'not_found'],
  [
    'an unknown query parameter',
    get('/v1/models/aurora-chat?url=https://evil.example'),
    404,
    'not_found',
  ],
  ['a parameter twice', get('/v1/pricing?type=image&type=all'), 404, 'not_found'],
  ['a parameter in another letter case', get('/v1/pricing?TYPE=all'), 404, 'not_found'],
  // Methods
  ['a method of another route', { ...get('/v1/models'), method: 'DELETE' }, 404, 'not_found'],
  ['GET instead of POST', get('/v1/chat/completions'), 404, 'not_found'],
  ['PUT', { ...post('/v1/images/tasks', image), method: 'PUT' }, 404, 'not_found'],
  ['HEAD', { ...get('/v1/models'), method: 'HEAD' }, 404, undefined],
  [
    'a method override header',
    { ...get('/v1/account', { 'x-http-method-override': 'GET' }) },
    404,
    'not_found',
  ],
  // Users
  ['an unknown user', without(get('/v1/models'), 'x-user'), 401, 'sign_in_required'],
  [
    'an unknown user on a public route',
    without(get('/v1/status'), 'x-user'),
    401,
    'sign_in_required',
  ],
  [
    'an API key instead of a user',
    without(get('/v1/models', { authorization: `Bearer ${canary}` }), 'x-user'),
    401,
    'sign_in_required',
  ],
  // Origins
  [
    'a page on another origin',
    post('/v1/images/tasks', image, { origin: 'https://evil.example' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page with an opaque origin',
    post('/v1/images/tasks', image, { origin: 'null' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page with an opaque origin that claims to be same-origin',
    get('/v1/models', { origin: 'null', 'sec-fetch-site': 'same-origin' }),
    403,
    'origin_not_allowed',
  ],
  [
    'the own host over http',
    get('/v1/models', { origin: 'http://app.example', host: 'app.example:443' }),
    403,
    'origin_not_allowed',
  ],
  [
    'an origin that begins with the own origin',
    get('/v1/models', { origin: `${app}.evil.example` }),
    403,
    'origin_not_allowed',
  ],
  [
    'an image tag on another site',
    get('/v1/models', { 'sec-fetch-site': 'cross-site' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page on the same site but another origin',
    get('/v1/models', { 'sec-fetch-site': 'same-site' }),
    403,
    'origin_not_allowed',
  ],
  [
    'a page on another site whose host was pointed at the proxy',
    get('/v1/models', {
      origin: 'http://evil.example',
      host: 'evil.example',
      'sec-fetch-site': 'cross-site',
    }),
    403,
    'origin_not_allowed',
  ],
  [
    'a preflight from another origin',
    preflight({ origin: 'https://evil.example' }),
    403,
    'origin_not_allowed',
  ],
  ['a preflight without an origin', preflight({}), 403, 'origin_not_allowed'],
  // Bodies and headers
  [
    'a form type',
    post('/v1/images/tasks', image, { 'content-type': 'text/plain' }),
    415,
    'unsupported_media_type',
  ],
  [
    'a form type that mentions JSON',
    post('/v1/images/tasks', image, { 'content-type': 'text/plain; application/json' }),
    415,
    'unsupported_media_type',
  ],
  [
    'no content type',
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
    'a body that is too large',
    post('/v1/images/tasks', 'x'.repeat(2_000), { 'content-length': '2000' }),
    413,
    'request_too_large',
  ],
  [
    'a chunked body that is too large',
    post(
      '/v1/images/tasks',
      Array.from({ length: 20 }, () => 'x'.repeat(100)),
    ),
    413,
    'request_too_large',
  ],
  [
    'an idempotency key with a space',
    post('/v1/images/tasks', image, { 'x-idempotency-key': 'a b' }),
    400,
    'invalid_idempotency_key',
  ],
  [
    'an idempotency key that is too long',
    post('/v1/images/tasks', image, { 'x-idempotency-key': 'a'.repeat(201) }),
    400,
    'invalid_idempotency_key',
  ],
  [
    'an empty idempotency key',
    post('/v1/materials', '{}', { 'idempotency-key': '' }),
    400,
    'invalid_idempotency_key',
  ],
])('%s is rejected and never reaches the gateway', async (_, request, status, code) => {
  const { mock, origin, reports } = await startProxy({ maxBodyBytes: 1_000 });
  const response = await sendRaw(origin, request);
  expect(response).toMatchObject({ status, code });
  expect(mock.requests).toEqual([]);
  expect(reports).toEqual([]);
  expect(JSON.stringify(response)).not.toContain(canary);
  expect(response.headers['access-control-allow-origin']).toBeUndefined();
});

test('a request with an invalid URL closes its own connection and affects no other request', async () => {
  const { mock, origin } = await startProxy();
  for (const path of ['http://ann@app.example/v1/models', 'ftp://app.example/v1/models']) {
    await expect(sendRaw(origin, rawPath(path))).rejects.toThrow('hang up');
  }
  expect(await sendRaw(origin, get('/v1/models'))).toMatchObject({ status: 200 });
  expect(mock.requests).toHaveLength(1);
});
