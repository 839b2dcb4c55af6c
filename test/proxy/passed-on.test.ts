import { expect, test } from 'vitest';

import { canary, openWay, send } from './support.ts';
import type { Wire } from './support.ts';
import { chat, get, image, post, raw } from './wires.ts';

const app = 'https://app.example';

test.each<[string, Wire, number, string]>([
  ['a list', get('/v1/models'), 200, 'GET /v1/models'],
  ['a model', get('/v1/models/aurora-chat'), 200, 'GET /v1/models/aurora-chat'],
  [
    'a model whose id holds an encoded slash',
    get('/v1/models/harbor%2Fpilot'),
    404,
    'GET /v1/models/harbor%2Fpilot',
  ],
  ['an encoded letter, tidied', get('/v1/models/%61urora-chat'), 200, 'GET /v1/models/aurora-chat'],
  ['a chat', post('/v1/chat/completions', chat), 200, 'POST /v1/chat/completions'],
  [
    'a body with a charset',
    post('/v1/images/tasks', image, { 'content-type': 'application/json; charset=utf-8' }),
    202,
    'POST /v1/images/tasks',
  ],
  ['a task', get('/v1/images/tasks/task_1'), 404, 'GET /v1/images/tasks/task_1'],
  [
    'an assumed path',
    get('/v1/videos/generations/task_1'),
    404,
    'GET /v1/videos/generations/task_1',
  ],
  ['a known parameter', get('/v1/pricing?type=image'), 200, 'GET /v1/pricing?type=image'],
  [
    'a parameter that tries to add another, as one',
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
  ['another mount', raw('/elsewhere/v1/models'), 200, 'GET /v1/models'],
  ['no mount, as frameworks take it off', raw('/v1/models'), 200, 'GET /v1/models'],
  ['dots that lead back to where it is', raw('/x/../v1/models'), 200, 'GET /v1/models'],
  [
    'its own page by origin',
    get('/v1/models', { origin: app, 'sec-fetch-site': 'same-origin' }),
    200,
    'GET /v1/models',
  ],
  [
    'its own page without origin',
    get('/v1/models', { 'sec-fetch-site': 'same-origin' }),
    200,
    'GET /v1/models',
  ],
  [
    'an address typed by hand',
    get('/v1/models', { 'sec-fetch-site': 'none' }),
    200,
    'GET /v1/models',
  ],
  ['a fragment that a tool sent, cut off', raw('/v1/models#/../account'), 200, 'GET /v1/models'],
])('%s is passed on', async (_, wire, status, upstream) => {
  const { mock, origin } = await openWay();
  const reply = await send(origin, wire);
  expect(reply.status).toBe(status);
  expect(mock.requests.map(({ method, path, search }) => `${method} ${path}${search}`)).toEqual([
    upstream,
  ]);
  expect(JSON.stringify(reply)).not.toContain(canary);
});
