import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { image, music, video } from '../caller.ts';
import { operationOf } from './document.ts';

interface SampleRequest {
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

const file = { url: 'https://files.example/a.png', type: 'image' };

/**
 * Requests of operations for which a path, and the first example of the document as its body, are not enough. Some first create
 * the task or material that they need.
 */
export const requests: Record<
  string,
  (mock: MockGateway) => SampleRequest | Promise<SampleRequest>
> = {
  'GET /v1/status': () => ({ path: '/v1/status?locale=ja-JP' }),
  'GET /v1/errors/{code}': () => ({ path: '/v1/errors/internal_error' }),
  'GET /v1/pricing': () => ({ path: '/v1/pricing?type=video' }),
  'GET /v1/models/{model}': () => ({ path: '/v1/models/lumen%2Fvision-chat' }),
  'GET /v1/images/tasks/{taskId}': (mock) => pollRequest(mock, '/v1/images/tasks', image),
  'GET /v1/images/generations/{taskId}': (mock) =>
    pollRequest(mock, '/v1/images/generations', image),
  'GET /v1/videos/{taskId}': (mock) => pollRequest(mock, '/v1/videos', video),
  'GET /v1/video/generations/{taskId}': (mock) => pollRequest(mock, '/v1/video/generations', video),
  'GET /v1/videos/generations/{taskId}': (mock) =>
    pollRequest(mock, '/v1/videos/generations', video),
  'GET /v1/audio/tasks/{taskId}': (mock) => pollRequest(mock, '/v1/audio/tasks', music),
  'GET /v1/audio/voices': () => ({ path: '/v1/audio/voices?model=echo-speech' }),
  'POST /v1/materials': () => ({
    path: '/v1/materials',
    body: file,
    headers: { 'idempotency-key': 'one' },
  }),
  'GET /v1/materials': async (mock) => {
    for (const key of ['one', 'two']) await send(mock, 'POST', createMaterialRequest(key));
    return { path: '/v1/materials?limit=1' };
  },
  'GET /v1/materials/{material_id}': (mock) => materialRequest(mock),
  'DELETE /v1/materials/{material_id}': (mock) => materialRequest(mock),
};

/** A request that succeeds. */
function sampleOf(route: string, mock: MockGateway): SampleRequest | Promise<SampleRequest> {
  const known = requests[route];
  if (known) return known(mock);
  const examples = operationOf(route).requestBody?.content['application/json'].examples ?? {};
  const [example] = Object.values<{ value: object }>(examples);
  const path = route.slice(route.indexOf(' ') + 1);
  return example === undefined ? { path } : { path, body: example.value };
}

/** Options of a gateway that responds with a status, without an invalid key or a fault. */
const gatewayOptions: Record<string, MockGatewayOptions> = {
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

/** Invalid queries, for operations without a body. */
const invalidQueries: Record<string, string> = {
  'GET /v1/status': '/v1/status?locale=en&locale=de',
  'GET /v1/models': '/v1/models?key=one&key=other',
  'GET /v1/pricing': '/v1/pricing?type=text',
  'GET /v1/audio/voices': '/v1/audio/voices?model=prism-image',
  'GET /v1/materials': '/v1/materials?limit=0',
};

/** Produces a documented status of an operation in every possible way. */
export async function provoke(route: string, status: string): Promise<Response[]> {
  const options = gatewayOptions[`${route} ${status}`] ?? gatewayOptions[status];
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 }, ...options, keys });
  const [method = '', template = ''] = route.split(' ');
  const request = await sampleOf(route, mock);
  const sendWith = (changes: Partial<SampleRequest> = {}) =>
    send(mock, method, { ...request, ...changes });
  switch (status) {
    case '400':
      return [
        await sendWith(
          request.body ? { body: {} } : { path: invalidQueries[route] ?? request.path },
        ),
      ];
    case '401':
      return [
        await send(mock, method, request, undefined),
        await send(mock, method, request, 'sk-unknown'),
      ];
    case '403':
      return [await send(mock, method, request, 'sk-disabled')];
    case '404': {
      if (request.body === undefined)
        return [await sendWith({ path: template.replace(/\{.+\}/, 'none') })];
      return route === 'POST /v1/materials'
        ? [await replayDeleted()]
        : [await replayEvicted(request)];
    }
    case '409':
      await sendWith({ headers: sameKey });
      return [
        await sendWith({
          headers: sameKey,
          body: { ...request.body, name: 'other', user: 'other' },
        }),
      ];
    case '500':
    case '503':
    case '4XX':
      if (options === undefined)
        mock.fail({ route, status: status === '4XX' ? 429 : Number(status) });
      return [await sendWith()];
    default:
      return [await sendWith()];
  }
}

const keys = [{ key: 'sk-test' }, { key: 'sk-disabled', state: 'disabled' as const }];
const sameKey = { 'x-idempotency-key': 'same', 'idempotency-key': 'same' };

/** Sends a request with the default API key, another key, or none. */
function send(
  mock: MockGateway,
  method: string,
  { path, body, headers = {} }: SampleRequest,
  ...key: [(string | undefined)?]
): Promise<Response> {
  const apiKey = key.length === 0 ? mock.apiKey : key[0];
  return mock.fetch(mock.baseURL + path, {
    method,
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Submits a task and returns the request that polls it. */
async function pollRequest(mock: MockGateway, path: string, body: object): Promise<SampleRequest> {
  const task = await (await send(mock, 'POST', { path, body })).json();
  return { path: `${path}/${task.id}` };
}

/** Creates a material and returns a request for it. */
async function materialRequest(mock: MockGateway): Promise<SampleRequest> {
  const material = await (await send(mock, 'POST', createMaterialRequest('one'))).json();
  return { path: `/v1/materials/${material.id}` };
}

function createMaterialRequest(key: string): SampleRequest {
  return { path: '/v1/materials', body: file, headers: { 'idempotency-key': key } };
}

/** A replay of a request whose material was deleted. */
async function replayDeleted(): Promise<Response> {
  const mock = createMockGateway({ clock: 'virtual' });
  await send(mock, 'DELETE', await materialRequest(mock));
  return send(mock, 'POST', createMaterialRequest('one'));
}

/** A replay of a request whose task is no longer stored. */
async function replayEvicted(request: SampleRequest): Promise<Response> {
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 }, history: 1 });
  const replay = { ...request, headers: sameKey };
  await send(mock, 'POST', replay);
  await send(mock, 'POST', request);
  await send(mock, 'POST', request);
  return send(mock, 'POST', replay);
}
