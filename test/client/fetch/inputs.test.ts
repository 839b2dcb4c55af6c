import { Request as OtherRequest } from 'undici';
import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { baseURL, hang, image, jsonReply, modelList, submitted, turns } from '../support.ts';
import { imagePath, post, scriptedClient } from './support.ts';

const prefixed = `${baseURL}/gate/way`;

describe.each([baseURL, prefixed])('gateway.fetch below %s', (base) => {
  const target = `${base}/v1/models?limit=2`;
  test.each([
    ['a path', '/v1/models?limit=2'],
    ['a URL as text', target],
    ['a URL', new URL(target)],
    ['a Request', new Request(target)],
    ['a URL with a fragment', `${target}#top`],
    ['a URL in capitals', target.replace(baseURL, baseURL.toUpperCase())],
    ['a URL with dots that stay below it', `${base}/v1/images/../models?limit=2`],
  ])('accepts %s', async (_, input) => {
    const { gateway, sent } = scriptedClient([modelList], { baseURL: base });
    const response = await gateway.fetch(input);
    expect(await response.json()).toEqual({ object: 'list', data: [] });
    expect(sent).toMatchObject([{ method: 'GET', url: target, redirect: 'manual' }]);
  });

  test.each([
    ['another origin', 'https://elsewhere.example/v1/models'],
    ['another scheme', target.replace('https:', 'http:')],
    ['another port', target.replace('.example', '.example:8443')],
    ['a host that starts like its own', target.replace('.example', '.example.evil')],
    ['a protocol-relative URL', '//gateway.example/v1/models'],
    ['a path without a slash', 'v1/models'],
    ['no input', ''],
    ['text that is no URL', 'https://'],
    ['a data URL', 'data:text/plain,hi'],
    ['credentials in the URL', target.replace('https://', 'https://ann:secret@')],
    ['encoded dots with an encoded slash', '/v1/%2e%2e%2fadmin'],
    ['dots with an encoded slash', '/v1/..%2Fadmin'],
    ['dots with an encoded backslash', '/v1/models/..%5c..%5cadmin'],
  ])('rejects %s before anything is sent', async (_, input) => {
    const { gateway, sent, fail } = scriptedClient([modelList], { baseURL: base });
    expect(await fail(gateway.fetch(input))).toMatchObject({ name: 'ConfigurationError' });
    expect(sent).toEqual([]);
  });
});

describe('gateway.fetch with a path prefix in the base URL', () => {
  test.each([
    '/../v1/models',
    '/v1/../../../v1/models',
    '/%2e%2e/v1/models',
    '/.%2E/v1/models',
    '/..\\v1/models',
    `${baseURL}/v1/models`,
    `${prefixed}/../v1/models`,
    `${prefixed}-2/v1/models`,
    prefixed,
    new URL(`${prefixed}/../v1/models`),
    new Request(`${prefixed}/../v1/models`),
  ])('rejects %s, which leaves it', async (input) => {
    const { gateway, sent, fail } = scriptedClient([modelList], { baseURL: prefixed });
    expect(await fail(gateway.fetch(input))).toMatchObject({ name: 'ConfigurationError' });
    expect(sent).toEqual([]);
  });
});

describe('gateway.baseURL', () => {
  test.each([
    [`${baseURL}/v1`, baseURL],
    [`${prefixed}/v1/`, prefixed],
    [`${prefixed}/`, prefixed],
  ])('of %s is %s', async (option, expected) => {
    const { gateway, sent } = scriptedClient([modelList], { baseURL: option });
    expect(gateway.baseURL).toBe(expected);
    await gateway.fetch(`${gateway.baseURL}/v1/models`);
    expect(sent[0]?.url).toBe(`${expected}/v1/models`);
  });
});

describe('credentials of the caller', () => {
  const theirs = {
    authorization: 'Bearer theirs',
    'x-api-key': 'theirs',
    'X-Goog-Api-Key': 'theirs',
  };

  test.each(['/v1/models', '/v1/unknown', '/v1beta/interactions'])(
    'are replaced with those of the client on %s',
    async (path) => {
      const { gateway, sent } = scriptedClient([modelList]);
      await gateway.fetch(`${path}?limit=2&key=theirs&k%65y=theirs`, { headers: theirs });
      const [request] = sent;
      expect(request?.headers.get('authorization')).toBe('Bearer sk-test');
      expect(JSON.stringify([request?.url, ...(request?.headers ?? [])])).not.toContain('theirs');
      expect(request?.url).toBe(`${baseURL}${path}?limit=2`);
    },
  );

  test('are replaced in a Request, too', async () => {
    const { gateway, sent } = scriptedClient([modelList]);
    await gateway.fetch(new Request(`${baseURL}/v1/models?key=theirs`, { headers: theirs }));
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-test');
    expect(JSON.stringify([sent[0]?.url, ...(sent[0]?.headers ?? [])])).not.toContain('theirs');
  });

  test('are not replaced on public routes, which receive none at all', async () => {
    const { gateway, sent } = scriptedClient([jsonReply(200, {})], {
      headers: { cookie: 'session=1' },
    });
    await gateway.fetch('/v1/status?locale=en', { headers: theirs });
    await gateway.fetch('/v1/errors/api_key_required?key=theirs', { headers: theirs });
    for (const { headers, url } of sent) {
      expect(JSON.stringify([url, ...headers])).not.toMatch(/theirs|sk-test|session/);
    }
    expect(sent).toHaveLength(2);
  });

  test('leave the other parts of the query as they are', async () => {
    const { gateway, sent } = scriptedClient([modelList]);
    await gateway.fetch('/v1/models?a=%20x&monkey=1&b=%2B');
    expect(sent[0]?.url).toBe(`${baseURL}/v1/models?a=%20x&monkey=1&b=%2B`);
  });
});

describe('headers of the caller', () => {
  test('are sent, over those of the client', async () => {
    const { gateway, sent } = scriptedClient([modelList], {
      headers: { 'x-tenant': 'client', 'x-app': 'client' },
    });
    await gateway.fetch('/v1/models', { headers: [['X-Tenant', 'caller']] });
    expect(sent[0]?.headers.get('x-tenant')).toBe('caller');
    expect(sent[0]?.headers.get('x-app')).toBe('client');
  });

  test('of init replace those of a Request, as fetch does', async () => {
    const { gateway, sent } = scriptedClient([modelList]);
    const request = new Request(`${baseURL}/v1/models`, { headers: { 'x-a': '1', 'x-b': '1' } });
    await gateway.fetch(request, { headers: { 'x-b': '2' } });
    expect(sent[0]?.headers.get('x-a')).toBeNull();
    expect(sent[0]?.headers.get('x-b')).toBe('2');
  });
});

describe('a Request of another copy of undici', () => {
  const url = `${baseURL}${imagePath}`;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-idempotency-key': 'k1', 'x-a': '1' },
    body: JSON.stringify(image),
  };

  /** Passes what no type allows, as JavaScript can. */
  const send = async (gateway: Polygate, ...args: unknown[]): Promise<Response> =>
    Reflect.apply(gateway.fetch, undefined, args);

  test('is sent as one of the runtime', async () => {
    const own = scriptedClient([submitted]);
    const other = scriptedClient([submitted]);
    await send(own.gateway, new Request(url, init));
    await send(other.gateway, new OtherRequest(url, init));
    const described = [own, other].map(({ sent }) =>
      sent.map(({ method, body, headers, ...request }) => [
        method,
        request.url,
        body,
        [...headers],
      ]),
    );
    expect(described[1]).toEqual(described[0]);
    expect(other.sent).toMatchObject([{ body: JSON.stringify(image) }]);
  });

  test('has its parts replaced by those of init', async () => {
    const { gateway, sent } = scriptedClient([submitted]);
    const changes = { headers: { 'x-b': '2' }, body: '{}' };
    await send(gateway, new OtherRequest(url, init), changes);
    expect(sent).toMatchObject([{ method: 'POST', body: '{}' }]);
    expect(sent[0]?.headers.get('x-b')).toBe('2');
    expect(sent[0]?.headers.get('x-a')).toBeNull();
  });

  test('aborts with its signal', async () => {
    const { gateway, sent, fail } = scriptedClient([hang]);
    const stop = new AbortController();
    const error = fail(send(gateway, new OtherRequest(url, { ...init, signal: stop.signal })));
    await turns();
    stop.abort('enough');
    expect(await error).toMatchObject({ name: 'AbortError', cause: 'enough' });
    expect(sent).toHaveLength(1);
  });

  test.each(['GET', 'HEAD'])('is rejected if init makes it a %s with a body', async (method) => {
    const { gateway, sent, fail } = scriptedClient([modelList]);
    const request = new OtherRequest(`${baseURL}/v1/models`, init);
    expect(await fail(send(gateway, request, { method }))).toMatchObject({
      name: 'ConfigurationError',
      message: /^gateway\.fetch: the request is invalid: .*\. Nothing was sent\.$/,
    });
    expect(sent).toEqual([]);
  });

  test('is rejected if its body was read or its URL is not below the base URL', async () => {
    const { gateway, sent, fail } = scriptedClient([submitted]);
    const used = new OtherRequest(url, init);
    await used.text();
    for (const request of [used, new OtherRequest('https://elsewhere.example/v1/models')]) {
      expect(await fail(send(gateway, request))).toMatchObject({ name: 'ConfigurationError' });
    }
    expect(sent).toEqual([]);
  });
});

describe('gateway.fetch', () => {
  test('is bound to its client', async () => {
    const { gateway, sent } = scriptedClient([modelList]);
    const { fetch } = gateway;
    expect((await fetch('/v1/models')).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test('of withOptions uses the new options and the same ledger', async () => {
    const charged = jsonReply(200, { id: 'c1' }, { 'x-svc-charge-usd': '0.5' });
    const { gateway, sent } = scriptedClient([charged]);
    const other = gateway.withOptions({ headers: { 'x-tenant': 'b' } });
    await other.fetch('/v1/chat/completions', post({ model: 'm', messages: [] }));
    await gateway.fetch('/v1/chat/completions', post({ model: 'm', messages: [] }));
    expect(sent.map(({ headers }) => headers.get('x-tenant'))).toEqual(['b', null]);
    expect(gateway.spend).toMatchObject({ totalUsd: 1, requests: 2 });
  });

  test('accepts null as its options, and a Request as its options', async () => {
    const { gateway, sent } = scriptedClient([modelList]);
    await Reflect.apply(gateway.fetch, undefined, ['/v1/models', null]);
    await gateway.fetch('/v1/materials', new Request(baseURL, { headers: { 'x-a': '1' } }));
    expect(sent[1]?.headers.get('x-a')).toBe('1');
  });

  test.each([
    ['a body on a GET', { body: 'x' }],
    ['a method that is no token', { method: 'no token' }],
    ['a header with a line break', { headers: { 'x-a': 'a\nb' } }],
  ])('rejects %s, as fetch does', async (_, init) => {
    const { gateway, sent, fail } = scriptedClient([modelList]);
    expect(await fail(gateway.fetch('/v1/models', init))).toMatchObject({
      name: 'ConfigurationError',
      message: /^gateway\.fetch: the request is invalid: .*\. Nothing was sent\.$/,
    });
    expect(sent).toEqual([]);
  });

  /** Such as the request of Hono, which reads a header only by its name, so that the key would be lost. */
  const withoutHeaders = {
    url: `${baseURL}${imagePath}`,
    method: 'POST',
    arrayBuffer: async () => new TextEncoder().encode(JSON.stringify(image)).buffer,
  };

  test.each([{ url: `${baseURL}/v1/models` }, withoutHeaders, new Response(), {}, null])(
    'rejects what is neither a URL nor a request: %o',
    async (input) => {
      const { gateway, sent, fail } = scriptedClient([modelList]);
      const call: unknown = Reflect.apply(gateway.fetch, undefined, [input]);
      expect(await fail(Promise.resolve(call))).toMatchObject({ name: 'ConfigurationError' });
      expect(sent).toEqual([]);
    },
  );

  test('rejects a signal that is none', async () => {
    const { gateway, fail } = scriptedClient([modelList]);
    const call = Reflect.apply(gateway.fetch, undefined, ['/v1/models', { signal: {} }]);
    expect(await fail(Promise.resolve(call))).toMatchObject({ name: 'ConfigurationError' });
  });
});
