import { expect, test } from 'vitest';

import { chat, get, image, post, rawPath } from './raw-requests.ts';
import { canary, startProxy, sendRaw } from './support.ts';
import type { RawRequest } from './support.ts';

const app = 'https://app.example';

test.each<[string, RawRequest, number, string]>([
  ['a list of models', get('/v1/models'), 200, 'GET /v1/models'],
  ['a model', get('/v1/models/aurora-chat'), 200, 'GET /v1/models/aurora-chat'],
  [
    'a model id with an encoded slash',
    get('/v1/models/harbor%2Fpilot'),
    404,
    'GET /v1/models/harbor%2Fpilot',
  ],
  [
    'an encoded letter, normalized',
    get('/v1/models/%61urora-chat'),
    200,
    'GET /v1/models/aurora-chat',
  ],
  ['a chat', post('/v1/chat/completions', chat), 200, 'POST /v1/chat/completions'],
  [
    'a body with a charset',
    post('/v1/images/tasks', image, { 'content-type': 'application/json; charset=utf-8' }),
    202,
    'POST /v1/images/tasks',
  ],
  ['a task', get('/v1/images/tasks/task_1'), 404, 'GET /v1/images/tasks/task_1'],
  [
    'a task id with a slash, still encoded',
    get('/v1/images/tasks/a%2Fb'),
    404,
    'GET /v1/images/tasks/a%2Fb',
  ],
  [
    'an assumed poll path',
    get('/v1/videos/generations/task_1'),
    404,
    'GET /v1/videos/generations/task_1',
  ],
  ['a known query parameter', get('/v1/pricing?type=image'), 200, 'GET /v1/pricing?type=image'],
  [
    'a parameter value that contains another parameter, still encoded',
    get('/v1/audio/voices?model=a%26key%3Db'),
    400,
    'GET /v1/audio/voices?model=a%26key%3Db',
  ],
  [
    'the deletion of a material',
    { ...get('/v1/materials/mat_1'), method: 'DELETE' },
    404,
    'DELETE /v1/materials/mat_1',
  ],
  ['another mount path', rawPath('/elsewhere/v1/models'), 200, 'GET /v1/models'],
  ['no mount path, because the framework removed it', rawPath('/v1/models'), 200, 'GET /v1/models'],
  ['one slash at the end', get('/v1/models/'), 200, 'GET /v1/models'],
  [
    'one slash at the end of a task',
    get('/v1/images/tasks/task_1/'),
    404,
    'GET /v1/images/tasks/task_1',
  ],
  [
    'a request line in absolute form',
    rawPath('http://app.example/api/gateway/v1/pricing?type=image'),
    200,
    'GET /v1/pricing?type=image',
  ],
  ['dots that resolve to the mount path', rawPath('/x/../v1/models'), 200, 'GET /v1/models'],
  [
    'a page on the own origin that sends origin',
    get('/v1/models', { origin: app, 'sec-fetch-site': 'same-origin' }),
    200,
    'GET /v1/models',
  ],
  [
    'a page on the own origin that sends only sec-fetch-site',
    get('/v1/models', { 'sec-fetch-site': 'same-origin' }),
    200,
    'GET /v1/models',
  ],
  [
    'a URL typed into the address bar',
    get('/v1/models', { 'sec-fetch-site': 'none' }),
    200,
    'GET /v1/models',
  ],
  ['a fragment, which is removed', rawPath('/v1/models#/../account'), 200, 'GET /v1/models'],
])('%s is forwarded', async (_, request, status, forwarded) => {
  const { mock, origin } = await startProxy();
  const response = await sendRaw(origin, request);
  expect(response.status).toBe(status);
  expect(mock.requests.map(({ method, path, search }) => `${method} ${path}${search}`)).toEqual([
    forwarded,
  ]);
  expect(JSON.stringify(response)).not.toContain(canary);
});
