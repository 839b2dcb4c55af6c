import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';

import {
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  ResponseValidationError,
} from '../../../src/index.ts';
import type { RawRequest } from '../../../src/index.ts';
import {
  jsonReply,
  baseURL,
  caught,
  clientOf,
  onMock,
  errorReply,
  reset,
  scripted,
  virtualClock,
} from '../support.ts';
import type { Reply } from '../support.ts';

const edited = jsonReply(200, { data: [{ url: 'https://cdn.example/1.png' }] });

describe('gateway.request', () => {
  test('sends method, path, query and body to the origin, with credentials', async () => {
    const { fetch, sent } = scripted(edited);
    const result = await clientOf(fetch, { baseURL: `${baseURL}/v1` }).request({
      method: 'POST',
      path: '/v1beta/interactions',
      query: { page: 2, q: 'a b&c', all: true, none: undefined, nil: null },
      body: { model: 'm', prompt: 'Заря' },
    });
    expect(result).toEqual({ data: [{ url: 'https://cdn.example/1.png' }] });
    const [request] = sent;
    const url = new URL(request?.url ?? '');
    expect(url.origin + url.pathname).toBe(`${baseURL}/v1beta/interactions`);
    expect(Object.fromEntries(url.searchParams)).toEqual({ page: '2', q: 'a b&c', all: 'true' });
    expect(request?.method).toBe('POST');
    expect(JSON.parse(request?.body ?? '')).toEqual({ model: 'm', prompt: 'Заря' });
    expect(request?.headers.get('content-type')).toContain('application/json');
    expect(request?.headers.get('authorization')).toBe('Bearer sk-test');
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)('supports %s', async (method) => {
    const { fetch, sent } = scripted(edited);
    await clientOf(fetch).request({ method, path: '/v1/x' });
    expect(sent[0]?.method).toBe(method);
    expect(sent[0]?.body).toBeUndefined();
  });

  test('has the same errors and metadata as other calls', async () => {
    const { gateway } = onMock();
    expect(await caught(gateway.request({ method: 'GET', path: '/v1/nothing' }))).toBeInstanceOf(
      NotFoundError,
    );
    const { meta } = await gateway.request({ method: 'GET', path: '/v1/account' }).withResponse();
    expect(meta.wallet).toBe('unified');
    const response = await gateway.request({ method: 'GET', path: '/v1/account' }).asResponse();
    expect(await response.json()).toMatchObject({ object: 'account' });
  });

  test('accepts the per-call options', async () => {
    const { fetch, sent } = scripted(edited);
    const options = { requestId: 'r', idempotencyKey: 'k', headers: { 'x-team': 't' } };
    await clientOf(fetch).request({ method: 'POST', path: '/v1/x', body: {} }, options);
    const headers = Object.fromEntries(sent[0]?.headers ?? []);
    expect(headers).toMatchObject({ 'x-request-id': 'r', 'x-idempotency-key': 'k', 'x-team': 't' });
  });

  test('rejects an unknown method', async () => {
    const { fetch, sent } = scripted(edited);
    const request = { method: 'CONNECT', path: '/v1/x' } as unknown as RawRequest;
    expect(await caught(clientOf(fetch).request(request))).toBeInstanceOf(ConfigurationError);
    expect(sent).toHaveLength(0);
  });
});

describe('a schema', () => {
  const schema = z.object({ data: z.array(z.object({ url: z.string() })) });
  const path = '/v1/images/edits';

  test('sets the type of the result and strips unknown fields', async () => {
    const { fetch } = scripted(jsonReply(200, { data: [{ url: 'u', extra: 1 }], more: 2 }));
    const result = await clientOf(fetch).request({ method: 'POST', path, body: {}, schema });
    expectTypeOf(result).toEqualTypeOf<{ data: { url: string }[] }>();
    expect(result).toEqual({ data: [{ url: 'u' }] });
  });

  test('rejects a response that does not match', async () => {
    const { fetch } = scripted(jsonReply(200, { data: [{ url: 7 }] }));
    const error = await caught(clientOf(fetch).request({ method: 'POST', path, body: {}, schema }));
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error).toMatchObject({ body: { data: [{ url: 7 }] }, outcome: 'unknown' });
    expect(error.issues).toMatchObject([{ path: ['data', 0, 'url'] }]);
  });

  test('can come from any Standard Schema library, and can be asynchronous', async () => {
    const own: NonNullable<RawRequest<number>['schema']> = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: async (value) =>
          typeof value === 'number' ? { value } : { issues: [{ message: 'no number' }] },
      },
    };
    const { fetch } = scripted(jsonReply(200, 7), jsonReply(200, 'x'));
    const gateway = clientOf(fetch);
    const request = { method: 'GET', path: '/v1/x', schema: own } as const;
    expect(await gateway.request(request)).toBe(7);
    expect((await caught(gateway.request(request))).message).toContain('no number');
  });
});

describe('a path', () => {
  test.each([
    '',
    'v1/models',
    'https://evil.example/v1',
    '//evil.example/v1',
    '/\\evil.example',
    '/v1/../admin',
    '/v1/..',
    '/v1/./models',
    '/v1/%2e%2e/admin',
    '/v1/%2E./admin',
    '/v1/.%2e',
    '/v1\\..\\admin',
    '/v1/models#top',
    '/v1/mo\ndels',
    '/v1/mo\tdels',
    '/v1/\u0000',
  ])('%j is rejected before a request is sent', async (path) => {
    const { fetch, sent } = scripted(edited);
    const error = await caught(clientOf(fetch).request({ method: 'GET', path }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('path');
    expect(sent).toHaveLength(0);
  });

  test.each([undefined, null, 7, {}])(
    'that is not a string is rejected without a synchronous throw: %j',
    async (path) => {
      const { fetch, sent } = scripted(edited);
      const request = { method: 'GET', path } as unknown as RawRequest;
      expect(await caught(clientOf(fetch).request(request))).toBeInstanceOf(ConfigurationError);
      expect(sent).toHaveLength(0);
    },
  );

  test('can contain a query, and dots in its segments', async () => {
    const { fetch, sent } = scripted(edited);
    await clientOf(fetch).request({ method: 'GET', path: '/v1/a..b/.c?x=1', query: { y: 2 } });
    expect(sent[0]?.url).toBe(`${baseURL}/v1/a..b/.c?x=1&y=2`);
  });
});

async function attempts(request: RawRequest, ...replies: [Reply, ...Reply[]]) {
  const clock = virtualClock();
  const { fetch, sent } = scripted(...replies);
  const error = await caught(clock.settle(clientOf(fetch, { clock }).request(request)));
  const keys = new Set(sent.map(({ headers }) => headers.get('x-idempotency-key')));
  return { count: sent.length, keys: [...keys], error };
}
const post = { method: 'POST', path: '/v1/images/edits', body: {} } as const;

describe('a request whose outcome is unknown', () => {
  test('is retried if it is a GET', async () => {
    expect((await attempts({ method: 'GET', path: '/v1/x' }, reset)).count).toBe(4);
  });

  test('is not retried if it is a POST', async () => {
    const { count, error } = await attempts(post, reset);
    expect(count).toBe(1);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe('unknown');
  });

  test('is retried with the same key if it is a POST with idempotent: true', async () => {
    const { count, keys, error } = await attempts({ ...post, idempotent: true }, reset);
    expect(count).toBe(4);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^[!-~]{8,200}$/);
    expect(error.idempotencyKey).toBe(keys[0]);
  });

  test('is not retried if it is a GET with idempotent: false', async () => {
    expect((await attempts({ method: 'GET', path: '/v1/x', idempotent: false }, reset)).count).toBe(
      1,
    );
  });
});

test('any request is retried after a 503', async () => {
  expect((await attempts(post, errorReply(503))).count).toBe(4);
});

test('a schema that cannot validate is rejected before a POST is paid for', async () => {
  const { fetch, sent } = scripted(edited);
  const schemas: readonly unknown[] = [{}, 'schema', (body: unknown) => body, z.parse];
  for (const schema of schemas) {
    const request: RawRequest = { ...post };
    Reflect.set(request, 'schema', schema);
    const error = await caught(clientOf(fetch).request(request));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('schema: must be a Standard Schema');
  }
  expect(sent).toEqual([]);
});

test('a GET with idempotent: true carries no idempotency key', async () => {
  const { keys } = await attempts({ method: 'GET', path: '/v1/x', idempotent: true }, reset);
  expect(keys).toEqual([null]);
});

test('extraBody is rejected with a body that is a list', async () => {
  const { fetch, sent } = scripted(edited);
  const call = clientOf(fetch).request({ ...post, body: [] }, { extraBody: { seed: 1 } });
  expect((await caught(call)).message).toBe(
    'extraBody: must be omitted, because the body is not an object.',
  );
  expect(sent).toEqual([]);
});
