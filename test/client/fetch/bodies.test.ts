import { describe, expect, test } from 'vitest';

import { baseURL, caught, errorReply, hang, submitted, turns } from '../support.ts';
import { imagePath, scriptedClient } from './support.ts';

const text = '{"prompt":"ein Hafen – 港","model":"prism-image"}';
const bytes = new TextEncoder().encode(text);
const padded = new Uint8Array([1, ...bytes, 2]);

function formOf(): FormData {
  const form = new FormData();
  form.set('prompt', 'A harbor');
  form.set('image', new Blob([bytes], { type: 'image/png' }), 'a.png');
  return form;
}

async function* pieces() {
  yield bytes.subarray(0, 5);
  yield bytes.subarray(5);
}

describe('a body', () => {
  test.each<[string, BodyInit, string | null]>([
    ['a string', text, 'text/plain;charset=UTF-8'],
    ['a Uint8Array', bytes, 'application/json'],
    ['a part of a buffer', padded.subarray(1, -1), 'application/json'],
    ['an ArrayBuffer', bytes.buffer, 'application/json'],
    ['a DataView', new DataView(bytes.buffer), 'application/json'],
    ['a Blob', new Blob([bytes], { type: 'application/x-own' }), 'application/x-own'],
    [
      'URLSearchParams',
      new URLSearchParams({ a: '1 2' }),
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
  ])('that is %s is sent again with the same bytes', async (_, body, type) => {
    const { gateway, sent, settle } = scriptedClient([errorReply(502), errorReply(503), submitted]);
    const response = await settle(gateway.fetch(imagePath, { method: 'POST', body }));
    expect(response.status).toBe(202);
    expect(sent).toHaveLength(3);
    const expected = body instanceof URLSearchParams ? 'a=1+2' : text;
    for (const request of sent) {
      expect(request.body).toBe(expected);
      expect(request.headers.get('content-type')).toBe(type);
    }
  });

  test('that is FormData is sent again with the same boundary', async () => {
    const { gateway, sent, settle } = scriptedClient([errorReply(503), submitted]);
    const init = { method: 'POST', body: formOf() };
    expect((await settle(gateway.fetch('/v1/images/edits', init))).status).toBe(202);
    const [first, second] = sent;
    expect(first?.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
    expect(second?.headers.get('content-type')).toBe(first?.headers.get('content-type'));
    expect(second?.body).toBe(first?.body);
    const form = await new Response(first?.body, { headers: first?.headers ?? {} }).formData();
    expect(form.get('prompt')).toBe('A harbor');
    const file = form.get('image');
    expect(file instanceof File && (await file.text())).toBe(text);
  });

  test.each([
    ['text', text],
    ['bytes', bytes],
    ['a Blob', new Blob([bytes])],
    ['a stream', new Blob([bytes]).stream()],
  ])('of a Request made from %s is sent again', async (_, body) => {
    const { gateway, sent, settle } = scriptedClient([errorReply(502), submitted]);
    const init = { method: 'POST', body, duplex: 'half' as const };
    const request = new Request(baseURL + imagePath, init);
    expect((await settle(gateway.fetch(request))).status).toBe(202);
    expect(request.bodyUsed).toBe(true);
    expect(sent.map((attempt) => attempt.body)).toEqual([text, text]);
  });

  test('of a Request that has been read is rejected, as fetch does', async () => {
    const { gateway, sent, fail } = scriptedClient([submitted]);
    const request = new Request(baseURL + imagePath, { method: 'POST', body: text });
    await request.text();
    expect(await fail(gateway.fetch(request))).toMatchObject({ name: 'ConfigurationError' });
    expect(sent).toEqual([]);
  });

  test('of init replaces that of a Request', async () => {
    const { gateway, sent } = scriptedClient([submitted]);
    const request = new Request(baseURL + imagePath, { method: 'POST', body: 'first' });
    await gateway.fetch(request, { body: 'second' });
    expect(sent[0]?.body).toBe('second');
  });

  test('may be changed by the caller once the call has started', async () => {
    const { gateway, sent, settle } = scriptedClient([errorReply(502), submitted]);
    const own = new Uint8Array(bytes);
    const call = gateway.fetch(imagePath, { method: 'POST', body: own });
    own.fill(0);
    await settle(call);
    expect(sent.map((attempt) => attempt.body)).toEqual([text, text]);
  });

  test('keeps a content-type and drops a content-length of the caller', async () => {
    const { gateway, sent } = scriptedClient([submitted]);
    const headers = { 'Content-Type': 'application/json; v=2', 'Content-Length': '1', host: 'x' };
    await gateway.fetch(imagePath, { method: 'POST', body: text, headers });
    expect(sent[0]?.headers.get('content-type')).toBe('application/json; v=2');
    expect(sent[0]?.headers.get('content-length')).not.toBe('1');
    expect(sent[0]?.headers.get('host')).not.toBe('x');
  });
});

describe('a stream as a body', () => {
  const paid = ['/v1/chat/completions', imagePath, '/v1/audio/voices/clone', '/v1/images/edits'];

  test.each(paid)('is rejected unread on the paid route %s', async (path) => {
    const { gateway, sent, fail } = scriptedClient([submitted]);
    let isRead = false;
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const init = { method: 'POST', body, duplex: 'half' } as const;
    expect(await fail(gateway.fetch(path, init))).toMatchObject({
      name: 'ConfigurationError',
      message: /^gateway\.fetch: the body of a paid request must not be a stream/,
    });
    expect(isRead).toBe(false);
    expect(sent).toEqual([]);
  });

  test.each([
    ['an async iterable', pieces()],
    ['a stream that is none, as in Safari', { getReader: () => undefined }],
  ])('is rejected on a paid route if it is %s', async (_, body) => {
    const { gateway, sent, fail } = scriptedClient([submitted]);
    const call = Reflect.apply(gateway.fetch, undefined, [imagePath, { method: 'POST', body }]);
    expect(await fail(Promise.resolve(call))).toMatchObject({
      message: /^gateway\.fetch: the body of a paid request must not be a stream/,
    });
    expect(sent).toEqual([]);
  });

  test.each([
    ['POST', '/v1/materials'],
    ['PUT', '/v1/files/1'],
  ])('is accepted on %s %s, and sent again from memory', async (method, path) => {
    const { gateway, sent, settle } = scriptedClient([errorReply(502), submitted]);
    const init = { method, body: new Blob([bytes]).stream(), duplex: 'half' } as const;
    const response = await settle(gateway.fetch(path, init));
    expect(response.status).toBe(202);
    expect(sent.map((attempt) => attempt.body)).toEqual([text, text]);
  });

  test('that fails rejects before anything is sent', async () => {
    const { gateway, sent, fail } = scriptedClient([submitted]);
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('disk')) });
    const init = { method: 'PUT', body, duplex: 'half' } as const;
    expect(await fail(gateway.fetch('/v1/files/1', init))).toMatchObject({
      name: 'ConfigurationError',
      cause: { message: 'disk' },
    });
    expect(sent).toEqual([]);
  });

  test('that never ends is given up when the signal aborts', async () => {
    const { gateway, sent } = scriptedClient([submitted]);
    const stop = new AbortController();
    const body = new ReadableStream({ pull: () => new Promise<void>(() => undefined) });
    const init = { method: 'PUT', body, duplex: 'half', signal: stop.signal } as const;
    const error = caught(gateway.fetch('/v1/files/1', init));
    await turns();
    stop.abort('enough');
    expect(await error).toMatchObject({
      name: 'AbortError',
      outcome: 'not-sent',
      cause: 'enough',
    });
    expect(sent).toEqual([]);
  });

  test('that never ends is given up after totalTimeout', async () => {
    const { gateway, sent, fail } = scriptedClient([submitted], { totalTimeout: 5_000 });
    const body = new ReadableStream({ pull: () => new Promise<void>(() => undefined) });
    const init = { method: 'POST', body, duplex: 'half' } as const;
    const error = await fail(gateway.fetch(new Request(`${baseURL}${imagePath}`, init)));
    expect(error).toMatchObject({
      name: 'RequestTimeoutError',
      outcome: 'not-sent',
      message:
        /^The request was not sent within 5000 ms \(totalTimeout\), because its body did not end\.$/,
    });
    expect(sent).toEqual([]);
  });

  test('uses up a part of totalTimeout', async () => {
    const { gateway, clock, fail } = scriptedClient([hang], { totalTimeout: 5_000 });
    const startedAt = clock.now();
    const body = new ReadableStream({
      async pull(controller) {
        await clock.sleep(3_000);
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as const;
    const error = await fail(gateway.fetch(new Request(`${baseURL}${imagePath}`, init)));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'unknown' });
    expect(clock.now() - startedAt).toBe(5_000);
  });
});
