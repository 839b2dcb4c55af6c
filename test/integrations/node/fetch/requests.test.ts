import { describe, expect, test } from 'vitest';

import { failure, openFetch, serveRaw } from './support.ts';

/** A server that responds with the text of each request. */
const echo = () =>
  serveRaw((socket, request) => {
    const length = Buffer.byteLength(request, 'latin1');
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(request, 'latin1');
  });

async function sent(input: (url: string) => RequestInfo | URL, init?: RequestInit) {
  const { url } = await echo();
  const response = await openFetch()(input(url), init);
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [line, ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((each) => each.split(/: (.*)/, 2)));
  return { line, headers, body: body.join('\r\n\r\n') };
}

describe('a request', () => {
  test('has the headers of fetch', async () => {
    const { line, headers } = await sent((url) => new URL(`${url}/a?b=c#d`));
    expect(line).toBe('GET /a?b=c HTTP/1.1');
    expect(headers).toMatchObject({
      accept: '*/*',
      'accept-encoding': 'gzip, deflate',
      'user-agent': 'node',
    });
    expect(headers).not.toHaveProperty('content-length');
  });

  test('has the headers of the caller in any form', async () => {
    const forms: HeadersInit[] = [
      { Accept: 'text/plain', 'x-a': ' 1 ' },
      [
        ['accept', 'text/plain'],
        ['x-a', '1'],
      ],
      new Headers({ accept: 'text/plain', 'x-a': '1' }),
    ];
    for (const headers of forms) {
      const request = await sent((url) => url, { headers });
      expect(request.headers).toMatchObject({ accept: 'text/plain', 'x-a': '1' });
    }
  });

  test('for a part of a file requests no compression', async () => {
    const { headers } = await sent((url) => url, { headers: { range: 'bytes=5-' } });
    expect(headers['accept-encoding']).toBe('identity');
  });

  const form = new FormData();
  form.set('field', 'value');
  test.each<[string, BodyInit, string | RegExp, string | RegExp]>([
    ['text', 'caf\u00e9', 'caf\u00c3\u00a9', 'text/plain;charset=UTF-8'],
    ['bytes', new Uint8Array([1, 2, 255]), '\u0001\u0002\u00ff', ''],
    ['a buffer', new Uint8Array([65, 66]).buffer, 'AB', ''],
    ['a Blob', new Blob(['x'], { type: 'image/png' }), 'x', 'image/png'],
    ['parameters', new URLSearchParams({ a: 'b c' }), 'a=b+c', /^application\/x-www-form/],
    ['a form', form, /name="field"\r\n\r\nvalue\r\n/, /^multipart\/form-data; boundary=/],
    ['no text', '', '', 'text/plain;charset=UTF-8'],
  ])('sends %s with its length and type', async (_, body, text, type) => {
    const request = await sent((url) => url, { method: 'POST', body });
    expect(request.headers['content-type'] ?? '').toMatch(type);
    expect(request.headers['content-length']).toBe(String(request.body.length));
    if (typeof text === 'string') expect(request.body).toBe(text);
    else expect(request.body).toMatch(text);
  });

  test('can be a Request, with options that replace its own', async () => {
    const made = (url: string) =>
      new Request(url, { method: 'PUT', body: 'old', headers: { 'x-a': '1' } });
    const plain = await sent(made);
    expect([plain.line, plain.body, plain.headers['x-a']]).toEqual(['PUT / HTTP/1.1', 'old', '1']);
    const changed = await sent(made, { body: 'new', headers: { 'x-b': '2' } });
    expect([changed.body, changed.headers['x-a'], changed.headers['x-b']]).toEqual([
      'new',
      undefined,
      '2',
    ]);
  });

  test('sends a stream as it is read', async () => {
    const { url } = await serveRaw((socket, request) => {
      if (request.includes('transfer-encoding: chunked')) {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nchunked');
      }
    });
    const body = new Blob(['streamed']).stream();
    // The type of the option is missing in TypeScript's library.
    const init = { method: 'POST', body, duplex: 'half' };
    expect(await (await openFetch()(url, init)).text()).toBe('chunked');
  });

  test.each<[string, string, RequestInit | undefined]>([
    ['an invalid URL', 'no url', undefined],
    ['a URL with a password', 'http://ann:secret@127.0.0.1', undefined],
    ['GET with a body', 'http://127.0.0.1', { body: 'x' }],
    ['an invalid method', 'http://127.0.0.1', { method: 'GE T' }],
    ['an invalid header', 'http://127.0.0.1', { headers: { 'x-a': 'a\r\nb: c' } }],
    ['a blocked port', 'http://127.0.0.1:6666', undefined],
  ])('is rejected for %s', async (_, url, init) => {
    expect((await failure(openFetch()(url, init))).error).toBeInstanceOf(TypeError);
  });

  test('for data needs no server', async () => {
    expect(await (await openFetch()('data:text/plain,hello')).text()).toBe('hello');
  });
});
