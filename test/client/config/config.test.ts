import { afterEach, describe, expect, test, vi } from 'vitest';

import { ConfigurationError, Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { baseURL, caught, clientOf, modelList, scripted, thrown } from '../support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** The error that the constructor throws for options that the types would reject. */
function constructorError(options: object) {
  const untyped = { apiKey: 'sk-test', baseURL, ...options } as PolygateOptions;
  return thrown(() => new Polygate(untyped));
}

/** The URL to which a client with these options sends a request. */
async function urlFor(options: PolygateOptions): Promise<string | undefined> {
  const { fetch, sent } = scripted(modelList);
  await new Polygate({ apiKey: 'sk-test', ...options, fetch }).models.list();
  return sent[0]?.url;
}

describe('options:', () => {
  const invalid: Readonly<Record<keyof Required<PolygateOptions>, readonly unknown[]>> = {
    apiKey: ['', '   ', 42, {}, 'sk-\n'],
    baseURL: [42, {}, '', '   ', 'not a url'],
    timeout: [0, -1, Number.NaN, '5', null],
    totalTimeout: [0, -1, Number.NaN, '5', null],
    streamIdleTimeout: [0, -1, Number.NaN, '5'],
    maxRetries: [-1, 1.5, Number.NaN, '3', null],
    retryAmbiguous: [true, { chat: 'yes' }, { videos: true }, 'chat'],
    maxRetryDelay: [-1, Number.NaN, '5'],
    maxQueueTime: [-1, Number.NaN, '5'],
    maxResponseBytes: [0, -1, Number.NaN, '64 MiB'],
    maxEventBytes: [0, -1, Number.NaN, '16 MiB'],
    concurrency: [0, -1, 1.5, true, 'max', null],
    budget: [
      5,
      {},
      { maxUsd: undefined },
      { maxUsd: -1 },
      { maxUsd: '5' },
      { maxUsd: Number.NaN },
      { usd: 5 },
    ],
    fallbackCooldown: [-1, Number.NaN, '5'],
    onCharge: ['log', {}],
    headers: ['x-a: b', 42, { 'x-a': 1 }, { 'x-a': 'b\r\nc: d' }, { 'bad name': 'b' }],
    hooks: [
      () => undefined,
      [],
      { beforeRequest: () => undefined },
      { afterResponse: ['log'] },
      { beforeRetry: [] },
    ],
    fetch: ['fetch', {}],
    clock: [{}, { now: Date.now }, Date],
    random: [0.5],
    headerPrefix: ['', 'x svc', 'x-svc:', 42],
    requestIdHeader: ['', 'request id', 42],
    paths: ['/v1/{id}', { videoTask: '/v1/videos' }, { imageTask: 'v1/{id}' }, { audio: '/{id}' }],
    logger: [{}, 'console', { error: () => undefined }],
    logLevel: ['loud', 3],
    telemetry: [{}, null, () => undefined, { startSpan: true }],
    dangerouslyAllowBrowser: ['yes', 1],
    allowInsecureBaseURL: ['yes', 1],
  };
  const cases = Object.entries(invalid).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );

  test.each(cases)('%s rejects %j with an error that names the option', (name, value) => {
    const error = constructorError({ [name]: value });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(name);
  });

  test.each(Object.keys(invalid).filter((name) => name !== 'baseURL'))(
    '%s accepts undefined, which means its default',
    (name) => {
      expect(() => new Polygate({ apiKey: 'sk-test', baseURL, [name]: undefined })).not.toThrow();
    },
  );

  test.each([
    ['baseUrl', 'baseURL'],
    ['apikey', 'apiKey'],
    ['timeOut', 'timeout'],
    ['onCharged', undefined],
  ])('the unknown option %s is rejected, with a hint if there is one', (name, suggestion) => {
    const error = constructorError({ [name]: 'x' });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(name);
    expect(error.message).toMatch(
      suggestion === undefined ? /./ : new RegExp(`did you mean ${suggestion}`, 'i'),
    );
  });

  test.each([
    [
      { retryAmbiguous: { voice: true } },
      'retryAmbiguous.voice: unknown option. Did you mean voices?',
    ],
    [{ budget: { maxUsd: -1 } }, 'budget.maxUsd: must be a number of at least 0.'],
    [{ budget: { strict: true } }, 'budget.maxUsd: must be a number of at least 0.'],
    [{ budget: 5 }, 'budget: must be an object.'],
  ])('the error for %j names the field', (options, message) => {
    expect(constructorError(options).message).toBe(message);
  });

  test('withOptions rejects the same options as the constructor', () => {
    const gateway = clientOf(scripted(modelList).fetch);
    expect(thrown(() => gateway.withOptions({ timeout: 0 })).message).toContain('timeout');
  });
});

describe('the base URL', () => {
  test.each([
    ['https://host.example', 'https://host.example'],
    ['https://host.example/', 'https://host.example'],
    ['https://host.example/v1', 'https://host.example'],
    ['https://host.example/v1/', 'https://host.example'],
    ['https://host.example:8443/v1', 'https://host.example:8443'],
    ['https://host.example/v10', 'https://host.example/v10'],
    ['https://host.example/api/gateway', 'https://host.example/api/gateway'],
    ['https://host.example/api/v1/', 'https://host.example/api'],
    ['HTTPS://HOST.example', 'https://host.example'],
  ])('%s is normalized to %s', async (given, origin) => {
    expect(await urlFor({ baseURL: given })).toBe(`${origin}/v1/models`);
  });

  test.each([
    'http://localhost:8787',
    'http://127.0.0.1:8787',
    'http://127.8.9.1',
    'http://[::1]:8787',
    'http://[::]:8787',
    'http://0.0.0.0:8787',
  ])('%s is a loopback host, for which plain http is accepted', async (given) => {
    expect(await urlFor({ baseURL: given })).toBe(`${given}/v1/models`);
  });

  test.each([
    'http://host.example',
    'http://localhost.host.example',
    'http://127.0.0.1.host.example',
    'http://127.0.0.1@host.example',
    'http://192.168.0.1',
    'http://[::2]',
  ])('%s is rejected, because plain http would expose the key', (given) => {
    const error = constructorError({ baseURL: given });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('baseURL');
  });

  test('without a base URL, the error says that it is missing', () => {
    const { message } = constructorError({ baseURL: undefined });
    expect(message).toContain('baseURL: missing. Pass the URL');
    expect(constructorError({ baseURL: 'not a url' }).message).not.toContain('missing');
  });

  test('plain http to another host can be allowed', async () => {
    const options = { baseURL: 'http://host.example', allowInsecureBaseURL: true };
    expect(await urlFor(options)).toBe('http://host.example/v1/models');
  });

  test.each([
    'https://user@host.example',
    'https://user:hunter2@host.example',
    'https://:hunter2@host.example',
    'https://host.example/?hunter2=1',
    'https://host.example/#hunter2',
  ])('%s has more than an origin and a path, and is rejected without being quoted', (given) => {
    const error = constructorError({ baseURL: given });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('baseURL');
    expect(error.message).not.toContain('hunter2');
  });

  test.each([
    'host.example',
    'host.example:8443',
    'https://',
    '//host.example',
    '/api/gateway',
    'ftp://host.example',
    'file:///etc',
    'javascript:alert(1)',
    'data:text/plain,hello',
  ])('%s is rejected', (given) => {
    const error = constructorError({ baseURL: given });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('baseURL');
  });

  test('a path is resolved against the URL of the page', async () => {
    vi.stubGlobal('location', { href: 'https://page.example/app/index.html' });
    const url = await urlFor({ apiKey: null, baseURL: '/api/gateway' });
    expect(url).toBe('https://page.example/api/gateway/v1/models');
  });

  test('is required in the options or the environment', () => {
    vi.stubEnv('POLYGATE_BASE_URL', '');
    const error = thrown(() => new Polygate({ apiKey: 'sk-test' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/baseURL.*POLYGATE_BASE_URL/);
  });
});

describe('the environment', () => {
  test('provides the key and the base URL', async () => {
    vi.stubEnv('POLYGATE_API_KEY', 'sk-from-env');
    vi.stubEnv('POLYGATE_BASE_URL', 'https://env.example/v1/');
    const { fetch, sent } = scripted(modelList);
    await new Polygate({ fetch }).models.list();
    expect(sent[0]?.url).toBe('https://env.example/v1/models');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-from-env');
  });

  test('is overridden by the options', async () => {
    vi.stubEnv('POLYGATE_API_KEY', 'sk-from-env');
    vi.stubEnv('POLYGATE_BASE_URL', 'https://env.example');
    const { fetch, sent } = scripted(modelList);
    await new Polygate({ apiKey: 'sk-option', baseURL, fetch }).models.list();
    expect(sent[0]?.url).toBe(`${baseURL}/v1/models`);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-option');
  });

  test('provides a base URL that must follow the same rules', () => {
    vi.stubEnv('POLYGATE_BASE_URL', 'http://host.example');
    expect(thrown(() => new Polygate({ apiKey: 'sk-test' }))).toBeInstanceOf(ConfigurationError);
  });

  test('provides a key that must follow the same rules, and is not quoted', async () => {
    vi.stubEnv('POLYGATE_API_KEY', 'sk-canary\nsecond line');
    const { fetch, sent } = scripted(modelList);
    const error = await caught(
      Promise.resolve().then(() => new Polygate({ baseURL, fetch }).models.list()),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/apiKey|POLYGATE_API_KEY/);
    expect(error.message).not.toContain('canary');
    expect(sent).toHaveLength(0);
  });

  test('may be unreadable, as in Deno without permissions', async () => {
    const forbidden = () => {
      throw new Error('NotCapable: requires env access');
    };
    const { env } = process;
    Object.defineProperty(process, 'env', { get: forbidden, configurable: true });
    try {
      expect(() => new Polygate({ apiKey: 'sk-test', baseURL })).not.toThrow();
    } finally {
      Object.defineProperty(process, 'env', { value: env, configurable: true, writable: true });
    }
  });
});
