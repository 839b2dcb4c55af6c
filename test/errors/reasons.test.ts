import { createServer } from 'node:http';

import * as polygate from 'polygate';
import { APIError, BadRequestError, Polygate, PolygateError } from 'polygate';
import type { ErrorReason } from 'polygate';
import { describe, expect, test } from 'vitest';

import { emptyMeta } from '../../src/client/http/response-meta.ts';
import {
  caught,
  chat,
  clientOf,
  errorReply,
  image,
  jsonReply,
  scripted,
  textReply,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';

const isAPIError = (Class: unknown) =>
  Class === APIError || Object.prototype.isPrototypeOf.call(APIError, Object(Class));

const reasonOf = (error: unknown) => (PolygateError.is(error) ? error.reason : undefined);

test('every class of error has a reason: its own, or that of the status', () => {
  const classes = Object.entries(polygate).filter(([name]) => name.endsWith('Error'));
  const without = classes.filter(([, Class]) => !Reflect.get(Class, 'reason'));
  const others = without.filter(([, Class]) => !isAPIError(Class));
  expect(others.map(([name]) => name)).toEqual(['PolygateError']);
});

describe('the reason of an error response:', () => {
  const redirect: Reply = () => new Response(null, { status: 302, headers: { location: '/x' } });
  test.each<[name: string, reply: Reply, reason: ErrorReason]>([
    ['a redirect', redirect, 'base-url'],
    ['400', errorReply(400), 'invalid'],
    ['401', errorReply(401), 'api-key'],
    ['402', errorReply(402), 'balance'],
    ['403', errorReply(403), 'forbidden'],
    ['404', errorReply(404), 'not-found'],
    ['405', errorReply(405), 'rejected'],
    ['409', errorReply(409), 'conflict'],
    ['422', errorReply(422), 'invalid'],
    ['429', errorReply(429), 'rate-limit'],
    ['429 for lack of a slot', errorReply(429, 'concurrency_limit_exceeded'), 'slot'],
    ['500', errorReply(500), 'service'],
    ['503', errorReply(503), 'unavailable'],
    ['a body that is no task', jsonReply(200, {}), 'malformed'],
    ['a lost response', () => Promise.reject(new TypeError('reset')), 'lost'],
  ])('%s', async (_, reply, reason) => {
    const gateway = clientOf(scripted(reply).fetch, { maxRetries: 0, concurrency: false });
    expect(reasonOf(await caught(gateway.images.submit(image)))).toBe(reason);
  });

  test('a stream that reports a failure', async () => {
    const { fetch } = scripted(
      textReply(200, 'data: {"error":{"message":"down"}}\n\n', 'text/event-stream'),
    );
    const stream = clientOf(fetch).chat.completions.stream(chat);
    expect(reasonOf(await caught(stream.final()))).toBe('service');
  });
});

describe('the reason of a call that was not sent:', () => {
  const baseURL = 'https://service.example';
  const submit = (options: ConstructorParameters<typeof Polygate>[0]) =>
    caught(new Polygate({ maxRetries: 0, baseURL, ...options }).images.submit(image));

  test.each<[name: string, apiKey: () => string]>([
    ['an API key that a function does not return', () => ''],
    [
      'a function that throws',
      () => {
        throw new Error('vault');
      },
    ],
  ])('%s', async (_, apiKey) => {
    expect(reasonOf(await submit({ apiKey }))).toBe('api-key');
  });

  test('a base URL that is invalid, and another option', async () => {
    const create = (options: object) => caught(Promise.resolve().then(() => new Polygate(options)));
    expect(reasonOf(await create({ baseURL: 'ftp://x' }))).toBe('base-url');
    expect(reasonOf(await create({ baseURL, apiKey: 'sk-1', timeout: -1 }))).toBe('invalid');
  });

  test('a connection that is refused, and a host that does not exist', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const refused = await submit({ apiKey: 'sk-1', baseURL: `http://127.0.0.1:${port}` });
    expect(reasonOf(refused)).toBe('connection-refused');
    const notFound = Object.assign(new TypeError('getaddrinfo'), { code: 'ENOTFOUND' });
    const unreachable = await submit({ apiKey: 'sk-1', fetch: () => Promise.reject(notFound) });
    expect(reasonOf(unreachable)).toBe('unreachable');
  });
});

test('an error keeps the reason that it is created with', () => {
  const details = { meta: emptyMeta(400), reason: 'conflict' } as const;
  expect(new BadRequestError('x', details)).toMatchObject({ reason: 'conflict' });
  expect(new BadRequestError('x', { ...details, reason: undefined }).reason).toBe('invalid');
  expect(new BadRequestError('x', details).toJSON()).toMatchObject({ reason: 'conflict' });
});
