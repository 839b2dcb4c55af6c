import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { chat, image, music, video } from '../caller.ts';

/** A request that the gateway answers with success, in terms of what the gateway holds. */
interface Ask {
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

const file = { url: 'https://files.example/a.png', type: 'image' };
const clone = { audio_url: 'https://files.example/a.wav', text: 'Ahoy' };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };

/** One request an operation. */
export const requests: Record<string, (mock: MockGateway) => Ask | Promise<Ask>> = {
  'GET /v1/status': () => ({ path: '/v1/status?locale=ja-JP' }),
  'GET /v1/capabilities': () => ({ path: '/v1/capabilities' }),
  'GET /v1/errors': () => ({ path: '/v1/errors' }),
  'GET /v1/errors/{code}': () => ({ path: '/v1/errors/internal_error' }),
  'GET /v1/changelog': () => ({ path: '/v1/changelog' }),
  'GET /v1/pricing': () => ({ path: '/v1/pricing?type=video' }),
  'GET /v1/rate-limits': () => ({ path: '/v1/rate-limits' }),
  'GET /v1/openapi.json': () => ({ path: '/v1/openapi.json' }),
  'GET /v1/account': () => ({ path: '/v1/account' }),
  'GET /v1/readiness': () => ({ path: '/v1/readiness' }),
  'GET /api/usage/balance': () => ({ path: '/api/usage/balance' }),
  'GET /v1/models': () => ({ path: '/v1/models' }),
  'GET /v1/models/{model}': () => ({ path: '/v1/models/lumen%2Fvision-chat' }),
  'POST /v1/chat/completions': () => ({ path: '/v1/chat/completions', body: chat }),
  'POST /v1/images/generations': () => ({ path: '/v1/images/generations', body: image }),
  'POST /v1/images/tasks': () => ({ path: '/v1/images/tasks', body: image }),
  'GET /v1/images/tasks/{taskId}': (mock) => polled(mock, '/v1/images/tasks', image),
  'GET /v1/images/generations/{taskId}': (mock) => polled(mock, '/v1/images/generations', image),
  'POST /v1/videos': () => ({ path: '/v1/videos', body: video }),
  'POST /v1/video/generations': () => ({ path: '/v1/video/generations', body: video }),
  'POST /v1/videos/generations': () => ({ path: '/v1/videos/generations', body: video }),
  'GET /v1/videos/{taskId}': (mock) => polled(mock, '/v1/videos', video),
  'GET /v1/video/generations/{taskId}': (mock) => polled(mock, '/v1/video/generations', video),
  'GET /v1/videos/generations/{taskId}': (mock) => polled(mock, '/v1/videos/generations', video),
  'POST /v1/audio/tasks': () => ({ path: '/v1/audio/tasks', body: music }),
  'GET /v1/audio/tasks/{taskId}': (mock) => polled(mock, '/v1/audio/tasks', music),
  'GET /v1/audio/voices': () => ({ path: '/v1/audio/voices?model=echo-speech' }),
  'POST /v1/audio/voices/clone': () => ({ path: '/v1/audio/voices/clone', body: clone }),
  'POST /v1/audio/voices/design': () => ({ path: '/v1/audio/voices/design', body: design }),
  'POST /v1/materials': () => ({
    path: '/v1/materials',
    body: file,
    headers: { 'idempotency-key': 'one' },
  }),
  'GET /v1/materials': async (mock) => {
    for (const key of ['one', 'two']) await send(mock, 'POST', materialAsk(key));
    return { path: '/v1/materials?limit=1' };
  },
  'GET /v1/materials/{material_id}': (mock) => registered(mock),
  'DELETE /v1/materials/{material_id}': (mock) => registered(mock),
};

/** A gateway on which an operation answers with a status, other than by a bad key or a fault. */
const gateways: Record<string, MockGatewayOptions> = {
  'POST /v1/images/generations 200': { assumptions: { A7: 'finished' } },
  'POST /v1/images/generations 500': {
    assumptions: { A7: 'finished' },
    tasks: { outcome: 'failed', durationMs: 0 },
  },
  'DELETE /v1/materials/{material_id} 202': { materials: { deleteMs: 1000 } },
  402: { wallet: { usd: 0 } },
  409: { assumptions: { A11: 'replay', A12: 'replay', A13: 'conflict' } },
  413: { maxBodyBytes: 10 },
  429: { concurrencyLimit: 0 },
};

/** Queries that are refused, where there is no body to leave out. */
const badQueries: Record<string, string> = {
  'GET /v1/status': '/v1/status?locale=en&locale=de',
  'GET /v1/models': '/v1/models?key=one&key=other',
  'GET /v1/pricing': '/v1/pricing?type=text',
  'GET /v1/audio/voices': '/v1/audio/voices?model=prism-image',
  'GET /v1/materials': '/v1/materials?limit=0',
};

/** A new gateway, and the answers by which one operation shows one status. */
export async function provoke(route: string, status: string): Promise<Response[]> {
  const options = gateways[`${route} ${status}`] ?? gateways[status];
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 }, ...options, keys });
  const [method = '', template = ''] = route.split(' ');
  const ask = await requests[route]!(mock);
  const again = (changes: Partial<Ask> = {}) => send(mock, method, { ...ask, ...changes });
  switch (status) {
    case '400':
      return [await again(ask.body ? { body: {} } : { path: badQueries[route] ?? ask.path })];
    case '401':
      return [
        await send(mock, method, ask, undefined),
        await send(mock, method, ask, 'sk-unknown'),
      ];
    case '403':
      return [await send(mock, method, ask, 'sk-disabled')];
    case '404': {
      if (ask.body === undefined)
        return [await again({ path: template.replace(/\{.+\}/, 'none') })];
      return route === 'POST /v1/materials'
        ? [await replayDeleted()]
        : [await replayForgotten(ask)];
    }
    case '409':
      await again({ headers: sameKey });
      return [
        await again({ headers: sameKey, body: { ...ask.body, name: 'other', user: 'other' } }),
      ];
    case '500':
    case '503':
    case '4XX':
      if (options === undefined)
        mock.fail({ route, status: status === '4XX' ? 429 : Number(status) });
      return [await again()];
    default:
      return [await again()];
  }
}

const keys = [{ key: 'sk-test' }, { key: 'sk-disabled', state: 'disabled' as const }];
const sameKey = { 'x-idempotency-key': 'same', 'idempotency-key': 'same' };

/** Sends a request with a key, or without one. */
function send(
  mock: MockGateway,
  method: string,
  { path, body, headers = {} }: Ask,
  ...key: [(string | undefined)?]
): Promise<Response> {
  const bearer = key.length === 0 ? mock.apiKey : key[0];
  return mock.fetch(mock.baseURL + path, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function polled(mock: MockGateway, path: string, body: object): Promise<Ask> {
  const task = await (await send(mock, 'POST', { path, body })).json();
  return { path: `${path}/${task.id}` };
}

async function registered(mock: MockGateway): Promise<Ask> {
  const material = await (await send(mock, 'POST', materialAsk('one'))).json();
  return { path: `/v1/materials/${material.id}` };
}

function materialAsk(key: string): Ask {
  return { path: '/v1/materials', body: file, headers: { 'idempotency-key': key } };
}

/** A key whose material was deleted. */
async function replayDeleted(): Promise<Response> {
  const mock = createMockGateway({ clock: 'virtual' });
  await send(mock, 'DELETE', await registered(mock));
  return send(mock, 'POST', materialAsk('one'));
}

/** A key whose task is no longer known. */
async function replayForgotten(ask: Ask): Promise<Response> {
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 }, history: 1 });
  const replay = { ...ask, headers: sameKey };
  await send(mock, 'POST', replay);
  await send(mock, 'POST', ask);
  await send(mock, 'POST', ask);
  return send(mock, 'POST', replay);
}
