import { createContext, runInContext } from 'node:vm';

import { build } from 'esbuild';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import * as sdk from '../../src/index.ts';
import type { APIError, PolygateError } from '../../src/index.ts';
import { caught, clientOf, image, errorReply, scripted } from '../client/support.ts';

/** Each error class with its ancestors, up to the root. */
const ancestors: Readonly<Record<string, readonly string[]>> = {
  PolygateError: [],
  ConfigurationError: ['PolygateError'],
  APIError: ['PolygateError'],
  BadRequestError: ['APIError', 'PolygateError'],
  AuthenticationError: ['APIError', 'PolygateError'],
  PaymentRequiredError: ['APIError', 'PolygateError'],
  PermissionDeniedError: ['APIError', 'PolygateError'],
  NotFoundError: ['APIError', 'PolygateError'],
  ConflictError: ['APIError', 'PolygateError'],
  UnprocessableError: ['APIError', 'PolygateError'],
  RateLimitError: ['APIError', 'PolygateError'],
  ConcurrencyLimitError: ['RateLimitError', 'APIError', 'PolygateError'],
  ServerError: ['APIError', 'PolygateError'],
  ServiceUnavailableError: ['ServerError', 'APIError', 'PolygateError'],
  ConnectionError: ['PolygateError'],
  RequestTimeoutError: ['ConnectionError', 'PolygateError'],
  AbortedError: ['PolygateError'],
  StreamTruncatedError: ['StreamError', 'PolygateError'],
  StreamIdleTimeoutError: ['StreamError', 'PolygateError'],
  StreamError: ['PolygateError'],
  ResponseValidationError: ['PolygateError'],
  TaskFailedError: ['PolygateError'],
  TaskWaitTimeoutError: ['PolygateError'],
  MaterialFailedError: ['PolygateError'],
  MaterialWaitTimeoutError: ['PolygateError'],
  BudgetExceededError: ['PolygateError'],
};
const names = Object.keys(ancestors);

type ErrorClass = (new (message: string, details?: unknown) => PolygateError) & {
  is(value: unknown): value is PolygateError;
};
type Module = Readonly<Record<string, unknown>>;

const classOf = (name: string, from: Module = sdk) => from[name] as ErrorClass;
const meta = { status: 418, idempotentReplay: false, concurrency: {}, headers: new Headers() };
/** Creates an error of a class, with the details that any of the constructors needs. */
const make = (name: string, from: Module = sdk) =>
  new (classOf(name, from))('A sentence.', { meta, body: {}, outcome: 'unknown' });

describe.each(names)('%s', (name) => {
  test('is exported, and its errors carry its name', () => {
    expect(classOf(name)).toBeTypeOf('function');
    const error = make(name);
    expect(error.name).toBe(name);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(new RegExp(`^${name}: `));
    expect(error.stack).toContain(name);
  });

  test('extends its ancestors and no other class', () => {
    const error = make(name);
    const ancestorsAndSelf = [name, ...(ancestors[name] ?? [])];
    for (const other of ancestorsAndSelf) expect(error).toBeInstanceOf(classOf(other));
    const unrelated = names.filter((other) => !ancestorsAndSelf.includes(other));
    for (const other of unrelated) {
      expect(error).not.toBeInstanceOf(classOf(other));
      expect(classOf(other).is(error)).toBe(false);
    }
  });
});

/** Web platform globals, which a bare realm lacks. */
const web = { Request, Response, Headers, FormData, Blob, fetch, AbortController, AbortSignal };
const text = { URL, URLSearchParams, TextEncoder, TextDecoder, DOMException };
const streams = { ReadableStream, WritableStream, TransformStream };

describe('is()', () => {
  let copy: Module;
  let realm: Module;

  beforeAll(async () => {
    vi.resetModules();
    copy = await import('../../src/index.ts');
    const { outputFiles } = await build({
      entryPoints: [new URL('../../src/index.ts', import.meta.url).pathname],
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
      globalName: 'sdk',
      target: 'es2023',
      // Not `browser`: the browser build of the package may not exist yet.
      platform: 'neutral',
      mainFields: ['module', 'main'],
      logLevel: 'silent',
    });
    const realmGlobals = { ...web, ...text, ...streams, console, crypto, setTimeout, clearTimeout };
    const code = `${outputFiles[0]?.text ?? ''};sdk`;
    realm = runInContext(code, createContext(realmGlobals)) as Module;
  });

  test('is tested with a second copy and another realm', () => {
    expect(copy.PolygateError).not.toBe(sdk.PolygateError);
    expect(make('APIError', copy)).not.toBeInstanceOf(sdk.PolygateError);
    expect(make('APIError', realm)).not.toBeInstanceOf(Error);
  });

  test.each(names)(
    'recognizes %s from another copy, and from a minified copy in another realm',
    (name) => {
      for (const from of [sdk, copy, realm] as Module[]) {
        const error = make(name, from);
        expect(error.name).toBe(name);
        for (const known of [name, ...(ancestors[name] ?? [])]) {
          expect(classOf(known).is(error)).toBe(true);
          expect(classOf(known, copy).is(error)).toBe(true);
        }
        for (const other of ['RateLimitError', 'AbortedError']) {
          const expected = other === name || ancestors[name]?.includes(other) === true;
          expect(classOf(other).is(error)).toBe(expected);
        }
      }
    },
  );

  test('recognizes a user-defined subclass', () => {
    class CustomError extends sdk.NotFoundError {}
    const error = new CustomError('Gone.', { meta });
    expect(sdk.NotFoundError.is(error)).toBe(true);
    expect(sdk.APIError.is(error)).toBe(true);
    expect(sdk.ConflictError.is(error)).toBe(false);
  });

  test.each([
    undefined,
    null,
    0,
    'PolygateError',
    Symbol('x'),
    {},
    [],
    () => undefined,
    new Error('PolygateError'),
    { name: 'PolygateError', message: '' },
    Object.create(null),
    Object.assign(new Error('x'), { name: 'APIError', status: 500 }),
  ])('returns false for %o', (value) => {
    expect(sdk.PolygateError.is(value)).toBe(false);
    expect(sdk.APIError.is(value)).toBe(false);
  });
});

describe('the class of an error response', () => {
  test.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [402, 'PaymentRequiredError'],
    [403, 'PermissionDeniedError'],
    [404, 'NotFoundError'],
    [405, 'APIError'],
    [408, 'APIError'],
    [409, 'ConflictError'],
    [410, 'APIError'],
    [413, 'APIError'],
    [418, 'APIError'],
    [422, 'UnprocessableError'],
    [429, 'RateLimitError'],
    [500, 'ServerError'],
    [501, 'ServerError'],
    [502, 'ServerError'],
    [503, 'ServiceUnavailableError'],
    [504, 'ServerError'],
    [529, 'ServerError'],
  ])('for status %i is %s', async (status, name) => {
    const { fetch } = scripted(errorReply(status, 'some_code', { 'x-request-id': 'req_1' }));
    const error = await caught(clientOf(fetch, { maxRetries: 0 }).images.submit(image));
    expect(error.name).toBe(name);
    expect(error.constructor).toBe(classOf(name));
    expect(error).toMatchObject({
      status,
      code: 'some_code',
      type: 'test_error',
      requestId: 'req_1',
      meta: { status, requestId: 'req_1' },
      body: { error: { code: 'some_code' } },
    });
  });

  test('for a concurrency 429 is ConcurrencyLimitError', async () => {
    const { fetch } = scripted(errorReply(429, 'concurrency_limit_exceeded'));
    const gateway = clientOf(fetch, { maxRetries: 0, concurrency: false });
    expect((await caught(gateway.images.submit(image))).name).toBe('ConcurrencyLimitError');
  });

  test.each([
    [401, 'Token not provided', 'AuthenticationError'],
    [401, 'Invalid token', 'AuthenticationError'],
    [403, 'Token invalid', 'PermissionDeniedError'],
  ])(
    'for the key balance envelope, with status %i and message %s, follows the status',
    async (status, message, name) => {
      const { fetch } = scripted(() => Response.json({ success: false, message }, { status }));
      const error = await caught(clientOf(fetch).account.balance());
      expect(error.name).toBe(name);
      expect(error.message).toContain(message);
      expect(error.body).toEqual({ success: false, message });
    },
  );

  test('is narrowed in TypeScript by is()', async () => {
    const { fetch } = scripted(errorReply(404, 'model_not_found'));
    const error: unknown = await caught(clientOf(fetch).models.retrieve('m'));
    if (!sdk.APIError.is(error)) throw new Error('This is an APIError');
    const narrowed: APIError = error;
    expect(narrowed.status).toBe(404);
  });
});
