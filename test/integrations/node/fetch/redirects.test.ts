import type { IncomingMessage } from 'node:http';

import { describe, expect, test } from 'vitest';

import { failure, openFetch, serve } from './support.ts';

/** A server that redirects every path but /end to its target, and the requests that it received. */
async function redirecting(status: number, target = '/end') {
  const requests: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string })[] = [];
  const { url } = await serve((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      if (request.url === '/end') response.end('the end');
      else response.writeHead(status, { location: target }).end('moved');
    });
  });
  return { url, requests };
}

describe('redirect', () => {
  test("'manual' resolves with the redirect", async () => {
    const { url, requests } = await redirecting(302);
    const response = await openFetch()(url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
      302,
      '/end',
      'moved',
    ]);
    expect(requests).toHaveLength(1);
  });

  test("'error' rejects", async () => {
    const { url, requests } = await redirecting(302);
    const { error, cause } = await failure(openFetch()(url, { redirect: 'error' }));
    expect([error.message, cause.message]).toEqual(['fetch failed', 'unexpected redirect']);
    expect(requests).toHaveLength(1);
  });

  test.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'x'],
    [308, 'POST', 'x'],
  ])("'follow' follows %i with %s", async (status, method, body) => {
    const { url, requests } = await redirecting(status);
    const init = { method: 'POST', body: 'x', headers: { authorization: 'Bearer k' } };
    const response = await openFetch()(url, init);
    expect([response.url, response.redirected, await response.text()]).toEqual([
      `${url}/end`,
      true,
      'the end',
    ]);
    const last = requests.at(-1);
    expect(last).toMatchObject({ method, body, headers: { authorization: 'Bearer k' } });
    expect(last?.headers['content-type'] === undefined).toBe(method === 'GET');
  });

  test('drops credentials on another origin', async () => {
    const other = await redirecting(302);
    const { url } = await redirecting(302, `${other.url}/end`);
    const credentials = {
      authorization: 'Bearer k',
      cookie: 'a=b',
      'proxy-authorization': 'Basic k',
      'api-key': 'k',
      'x-api-key': 'k',
      'x-goog-api-key': 'k',
    };
    await openFetch()(url, { headers: { ...credentials, 'x-other': 'kept' } });
    const headers = other.requests[0]?.headers ?? {};
    expect(Object.keys(headers).filter((name) => name in credentials)).toEqual([]);
    expect(headers['x-other']).toBe('kept');
  });

  test.each(['/again', 'ftp://127.0.0.1', 'http://127.0.0.1:6666', 'http://a:b@127.0.0.1:1024'])(
    'fails on a redirect to %s',
    async (target) => {
      const { url, requests } = await redirecting(302, target);
      const { error } = await failure(openFetch()(url));
      expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
      expect(requests).toHaveLength(target === '/again' ? 21 : 1);
    },
  );

  test('does not send a stream again', async () => {
    const { url, requests } = await redirecting(307);
    const init = { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' };
    expect((await failure(openFetch()(url, init))).cause.message).toContain('stream');
    expect(requests).toHaveLength(1);
  });
});
