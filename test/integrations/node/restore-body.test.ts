import { once } from 'node:events';
import { createServer, request as openRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { Polygate } from 'polygate';
import { toNodeHandler } from 'polygate/node';
import type { NodeHandler } from 'polygate/node';
import { createProxyHandler } from 'polygate/proxy';
import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { serveLocally } from '../proxy/support.ts';

/** Serves a listener until the end of the test. */
const serve = (listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown) =>
  serveLocally(createServer((incoming, outgoing) => void listener(incoming, outgoing)));

/** What a platform has made of a body before it calls the handler. */
type Parser = (bytes: Buffer) => { rawBody?: unknown; body?: unknown };

/** Parses JSON, as Express and Vercel do. */
const parseJson: Parser = (bytes) => ({ body: JSON.parse(String(bytes)) });

/** Serves a handler behind a parser, which reads every body before. */
const serveParsed = (handler: NodeHandler, parse: Parser) =>
  serve(async (incoming, outgoing) => {
    const bytes = await buffer(incoming);
    await handler(bytes.length > 0 ? Object.assign(incoming, parse(bytes)) : incoming, outgoing);
  });

/** Serves an echo of the body behind a parser, and returns what it responds to a body. */
async function sendParsed(
  body: string | Uint8Array<ArrayBuffer>,
  parse: Parser,
  headers: Record<string, string> = {},
) {
  const received: string[] = [];
  const handler = toNodeHandler(async (request) => {
    received.push(Buffer.from(await request.arrayBuffer()).toString('latin1'));
    return new Response();
  });
  const origin = await serveParsed(handler, parse);
  const type = { 'content-type': 'application/json' };
  const response = await fetch(origin, { method: 'POST', body, headers: { ...type, ...headers } });
  return { status: response.status, text: await response.text(), received };
}

test.each<[string, string, Parser]>([
  [
    'bytes of rawBody',
    ' {"n": 1, "n": 2, "seed": 9007199254740993}',
    (rawBody) => ({ rawBody, body: { n: 9 } }),
  ],
  ['text of rawBody', '{ "n": -0 }', (bytes) => ({ rawBody: String(bytes), body: {} })],
  ['bytes of a raw parser', '{ "n": 1e400 }', (body) => ({ body })],
  ['text of a text parser', '{ "n": 1.0 }', (bytes) => ({ body: String(bytes) })],
  [
    'parsed body',
    String.raw`{"model":"m","n":2,"speed":0.30000000000000004,"text":"Ü \ud800 \u0001"}`,
    parseJson,
  ],
  [
    'parsed body with names of its own',
    '{"2":1,"__proto__":{"toJSON":1},"list":[null,true]}',
    parseJson,
  ],
])('a body that was parsed before is restored from the %s', async (_, body, parse) => {
  const { status, received } = await sendParsed(body, parse);
  expect([status, received]).toEqual([200, [Buffer.from(body).toString('latin1')]]);
});

test('an empty body that was read before is empty', async () => {
  expect((await sendParsed('', () => ({ body: {} }))).received).toEqual(['']);
});

test.each<[string, string | Uint8Array<ArrayBuffer>, Parser?, Record<string, string>?]>([
  ['no parsed body', '{}', () => ({})],
  ['a number that was rounded', '{"id":9007199254740993}'],
  ['a number above all numbers', '{"n":1e400}'],
  ['a negative zero', '{"n":-0}'],
  ['a repeated name', '{"n":8,"n":1}'],
  ['spaces', '{ "n": 1 }'],
  ['another notation', '{"n":1.0}'],
  ['escaped letters', String.raw`{"n":"\u0041"}`],
  ['bytes that are not UTF-8', Uint8Array.from('{"n":"\u00FF"}', (letter) => letter.charCodeAt(0))],
  ['a changed body', '{"n":1}', () => ({ body: { n: 10 } })],
  ['a value that is not JSON', '{"n":1}', () => ({ body: { n: 1n } })],
  [
    'a parser that throws',
    '{"n":1',
    () => Object.defineProperty({}, 'body', { get: () => JSON.parse('{') }),
  ],
  ['an encoding', '{"n":1}', (rawBody) => ({ rawBody }), { 'content-encoding': 'gzip' }],
  [
    'a form',
    'n=1&m=2',
    () => ({ body: { n: 1 } }),
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
  ['a rawBody of another request', '{"n":1}', () => ({ rawBody: Buffer.from('{}') })],
])(
  'a body that was parsed before is refused with what to set: %s',
  async (_, body, parse = parseJson, headers = {}) => {
    const { status, text: reply, received } = await sendParsed(body, parse, headers);
    expect([status, received]).toEqual([415, []]);
    const { error } = JSON.parse(reply);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'body_already_parsed' });
    expect(error.message).toContain(
      'before body parsers. On Vercel, set the environment variable NODEJS_HELPERS=0',
    );
  },
);

test('a body without a length is restored from bytes only', async () => {
  const send = async (parse: Parser) => {
    const received: string[] = [];
    const handler = toNodeHandler(async (request) => {
      received.push(await request.text());
      return new Response();
    });
    const origin = await serveParsed(handler, parse);
    const outgoing = openRequest(origin, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    outgoing.write('{"n":');
    outgoing.end('1}');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    incoming.resume();
    return [incoming.statusCode, ...received];
  };
  expect(await send((rawBody) => ({ rawBody }))).toEqual([200, '{"n":1}']);
  expect(await send(parseJson)).toEqual([415]);
});

test('a body that was partly read is not forwarded in part', async () => {
  const handler = toNodeHandler(() => new Response());
  const origin = await serve(async (incoming, outgoing) => {
    await once(incoming, 'data');
    await handler(incoming, outgoing);
  });
  expect((await fetch(origin, { method: 'POST', body: '{}' })).status).toBe(415);
});

test('in Express, a body that was parsed before is an error with a status', async () => {
  const errors: unknown[] = [];
  const handler: NodeHandler = toNodeHandler(() => new Response());
  const origin = await serve(async (incoming, outgoing) => {
    for await (const _ of incoming);
    await handler(incoming, outgoing, (error) => {
      errors.push(error);
      outgoing.end();
    });
  });
  await fetch(origin, { method: 'POST', body: '{}' });
  expect(errors).toMatchObject([{ status: 415 }]);
  expect(String(errors)).toContain('Mount toNodeHandler before body parsers');
});

test('a page pays through a proxy whose platform parses bodies, and limits count what is forwarded', async () => {
  const mock = createMockGateway();
  const { apiKey, baseURL, fetch: gatewayFetch } = mock;
  const onError = (error: unknown) => expect.fail(String(error));
  const limits = { usd: 0.05 };
  const authorize = () => 'ann';
  const proxy = createProxyHandler({
    apiKey,
    baseURL,
    fetch: gatewayFetch,
    authorize,
    limits,
    onError,
  });
  const handler = toNodeHandler(proxy);
  const origin = await serveParsed(handler, parseJson);
  const page = new Polygate({ apiKey: null, baseURL: `${origin}/api`, logLevel: 'off' });
  const params = { model: 'prism-image', prompt: 'A harbor – two', n: 2 };
  await page.images.submit(params);
  expect(mock.requests.at(-1)?.body).toEqual(params);
  expect((await proxy.usage('ann')).usd).toBe(0.04);

  const rounded = { ...params, seed: 2 ** 60 };
  const error: unknown = await page.images
    .submit(rounded as never)
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 415, outcome: 'rejected', code: 'body_already_parsed' });
  expect(mock.invoice).toHaveLength(1);
});
