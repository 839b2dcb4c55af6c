import * as fc from 'fast-check';
import { createProxyHandler, defaultRoutes } from 'polygate/proxy';
import type { ProxyOptions } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';

import { post } from './raw-requests.ts';
import { startProxy, sendRaw } from './support.ts';

const models = ['prism-image'];
const images = '/v1/images/tasks';

describe('with a list of models, the proxy rejects', () => {
  test.each([
    ['another model', '{"model":"tide-video"}', 403, 'model_not_allowed'],
    ['a list of models', '{"model":["prism-image"]}', 403, 'model_not_allowed'],
    ['null', '{"model":null}', 403, 'model_not_allowed'],
    ['the model with a space', '{"model":"prism-image "}', 403, 'model_not_allowed'],
    ['an array as the body', '[{"model":"prism-image"}]', 400, 'invalid_request_parameter'],
    ['invalid JSON', '{"model":"prism-image"', 400, 'invalid_request_parameter'],
  ])('%s', async (_, body, status, code) => {
    const { mock, origin } = await startProxy({ models });
    expect(await sendRaw(origin, post(images, body))).toMatchObject({ status, code });
    expect(mock.requests).toEqual([]);
  });

  // Services differ in which of these fields they read.
  test.each([
    ['in upper case', '"MODEL":"tide-video"'],
    ['in mixed case', '"Model":"tide-video"'],
    ['in upper case, escaped', String.raw`"\u004dODEL":"tide-video"`],
    ['twice', '"model":"tide-video"'],
    ['twice, with the same value', '"model":"prism-image"'],
    ['twice, once escaped', String.raw`"mod\u0065l":"tide-video"`],
    ['with an underscore', '"mod_el":"tide-video"'],
    ['with a hyphen', '"-model":"tide-video"'],
    ['with text after a NUL', String.raw`"model\u0000x":"tide-video"`],
    ['in extra_body', '"extra_body":{"model":"tide-video"}'],
    ['in extra_body, in upper case', '"extra_body":{"MODEL":"tide-video"}'],
    ['in extra_body in mixed case', '"Extra_Body":{"model":"tide-video"}'],
    ['in extraBody', '"extraBody":{"model":"tide-video"}'],
    ['in one of two extra_body', '"extra_body":{"model":"x"},"extra_body":{}'],
  ])('a body that has an allowed model and another model %s', async (_, field) => {
    const { mock, origin } = await startProxy({ models });
    for (const body of [`{"model":"prism-image",${field}}`, `{${field},"model":"prism-image"}`]) {
      expect(await sendRaw(origin, post(images, body))).toMatchObject({
        status: 400,
        code: 'invalid_request_parameter',
      });
    }
    expect(mock.requests).toEqual([]);
  });

  // V8 then reads the name of the second field as `\\u006`.
  test('a repeated model whose escaped name V8 reads incorrectly after a certain other body', async () => {
    const { mock, origin } = await startProxy({ models });
    const first = String.raw`{"model":"prism-image","a":[],"\\u006":0}`;
    await sendRaw(origin, post(images, first));
    const forwarded = mock.requests.length;
    for (const body of [
      String.raw`{"model":"prism-image","a":1,"\u006dodel":"tide-video"}`,
      String.raw`{"model":"prism-image","a":1,"\u004dodel":"tide-video"}`,
    ]) {
      expect(await sendRaw(origin, post(images, body))).toMatchObject({ status: 400 });
    }
    expect(mock.requests).toHaveLength(forwarded);
  });

  test('a repeated field other than the model', async () => {
    const { mock, origin } = await startProxy({ models });
    const body = '{"model":"prism-image","n":1,"n":4}';
    expect(await sendRaw(origin, post(images, body))).toMatchObject({ status: 400 });
    expect(mock.requests).toEqual([]);
  });

  test('a body that is not UTF-8, which services decode in different ways', async () => {
    const send = fetchThroughProxy();
    const body = Buffer.from('{"model":"prism-image","prompt":"é"}', 'latin1');
    expect(await send(images, body)).toEqual([400, undefined]);
  });

  test.each([
    '/v1/chat/completions',
    '/v1/images/tasks',
    '/v1/images/generations',
    '/v1/videos',
    '/v1/video/generations',
    '/v1/videos/generations',
    '/v1/audio/tasks',
    '/v1/images/edits',
  ])('a body without a model on %s', async (path) => {
    const send = fetchThroughProxy();
    for (const body of ['{}', '{"MODEL":"prism-image"}', '{"extra_body":{"model":"x"}}']) {
      expect(await send(path, body)).toEqual([400, undefined]);
    }
  });
});

describe('with a list of models, the proxy forwards', () => {
  test.each([
    [
      'an allowed model',
      '{ "prompt" : "H\\u00e4", "model":"prism-image",\n"seed":12345678901234567890.0 }',
    ],
    ['an allowed model with an escaped name', String.raw`{"mod\u0065l":"prism-image"}`],
    [
      'names that merely contain model',
      '{"model":"prism-image","models":1,"model_id":2,"xmodel":3}',
    ],
    [
      'the same name in nested objects',
      '{"model":"prism-image","a":{"model":1,"b":[{"model":2}]}}',
    ],
    ['repeated names in nested objects', '{"model":"prism-image","a":{"b":1,"b":2}}'],
    [
      'names and brackets in text',
      String.raw`{"model":"prism-image","a":"\"model\":{[\\","b":":"}`,
    ],
    ['__proto__ as a name', '{"model":"prism-image","__proto__":{"model":"x"}}'],
    ['extra_body without a model', '{"model":"prism-image","extra_body":{"seed":1}}'],
    ['extra_body that is not an object', '{"model":"prism-image","extra_body":["model"]}'],
  ])('%s, byte for byte', async (_, body) => {
    expect(await fetchThroughProxy()(images, body)).toEqual([200, body]);
  });

  test.each(['/v1/materials', '/v1/audio/voices/clone', '/v1/audio/voices/design'])(
    'a body without a model on %s, which takes none',
    async (path) => {
      expect(await fetchThroughProxy()(path, '{"name":"x"}')).toEqual([200, '{"name":"x"}']);
    },
  );
});

test('without a list of models, any body is forwarded byte for byte', async () => {
  const body = '{"model":"a","MODEL":"b","model":"c"} ';
  expect(await fetchThroughProxy({})(images, body)).toEqual([200, body]);
});

describe('a repeated name', () => {
  const name = fc.constantFrom('a', 'b', 'c', '"', '\\', ':', '{', '', 'é', '__proto__');
  const space = fc.constantFrom('', ' ', '\n\t');
  const value = fc.json({ depthSize: 'small' });
  const field = fc.record({ name, escaped: fc.constantFrom(true, false), value, space });

  test('is found in any JSON object, exactly if a naive parser finds it', async () => {
    const send = fetchThroughProxy();
    const fields = fc.array(fc.tuple(field, fc.string()), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fields, fc.dictionary(fc.string(), fc.string()), async (entries, nested) => {
        const texts = entries.map(([entry, text], index) => {
          const written = index % 3 === 0 ? JSON.stringify({ [text]: nested }) : entry.value;
          const key = entry.escaped ? escapeAll(entry.name) : JSON.stringify(entry.name);
          return `${entry.space}${key}${entry.space}:${written}${entry.space}`;
        });
        const body = `{${['"model":"prism-image"', ...texts].join(',')}}`;
        const names = naiveNames(body);
        const isUnique = new Set(names).size === names.length;
        expect(await send(images, body)).toEqual(isUnique ? [200, body] : [400, undefined]);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['brackets', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
    ['backslashes', `"${'\\\\'.repeat(2_000_000)}"`],
    ['quotes', `"${'\\"'.repeat(2_000_000)}"`],
    ['colons', `"${':'.repeat(4_000_000)}"`],
    ['short strings', `[${'"",'.repeat(1_300_000)}""]`],
  ])('is searched for in linear time in a body of millions of %s', async (_, text) => {
    const body = `{"model":"prism-image","a":${text}}`;
    const [status] = await fetchThroughProxy()(images, body);
    expect(status).toBe(200);
  });
});

/** Creates a function that sends a body through a proxy; it returns the status and the forwarded body. */
function fetchThroughProxy(options: Partial<ProxyOptions> = { models }) {
  let forwarded: string | undefined;
  const handler = createProxyHandler({
    apiKey: 'sk-test',
    baseURL: 'https://host.example',
    authorize: () => 'ann',
    allow: [...defaultRoutes, 'POST /v1/images/edits'],
    ...options,
    fetch: async (_, init) => {
      forwarded = await new Response(init?.body).text();
      return new Response('{}');
    },
  });
  return async (path: string, body: BodyInit): Promise<[number, string | undefined]> => {
    forwarded = undefined;
    const headers = { 'content-type': 'application/json' };
    const request = new Request(`https://app.example${path}`, { method: 'POST', headers, body });
    const { status } = await handler(request);
    return [status, forwarded];
  };
}

/** Writes every character of a JSON string as an escape sequence. */
function escapeAll(text: string): string {
  const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}"`;
}

/** The names at the top level of an object, one per field, found by cutting the text after each value. */
function naiveNames(text: string): unknown[] {
  const names: unknown[] = [];
  let rest = text.trim().slice(1, -1);
  while (rest.trim() !== '') {
    const [name, afterName] = firstValue(rest, ':');
    const [, afterValue] = firstValue(afterName, ',');
    names.push(name);
    rest = afterValue;
  }
  return names;
}

/** Parses the shortest text before a separator that is valid JSON. */
function firstValue(text: string, separator: string): [value: unknown, rest: string] {
  for (let end = text.indexOf(separator); ; end = text.indexOf(separator, end + 1)) {
    const stop = end === -1 ? text.length : end;
    try {
      return [JSON.parse(text.slice(0, stop)), text.slice(stop + 1)];
    } catch (error) {
      if (end === -1) throw error;
    }
  }
}
