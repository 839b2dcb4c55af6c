import { afterEach, describe, expect, test, vi } from 'vitest';

import { ConfigurationError, Polygate } from '../../src/index.ts';
import type { PolygateOptions } from '../../src/index.ts';
import { baseURL, thrown } from '../client/support.ts';
import { apiKey, printed } from './support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Runs a function with these globals. */
function within<Result>(globals: object, work: () => Result): Result {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  try {
    return work();
  } finally {
    vi.unstubAllGlobals();
  }
}

const make = (options: PolygateOptions) => () => new Polygate({ baseURL, ...options });
const scope = () => undefined;
const document = { createElement: () => ({}) };
const navigator = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' };
const server = process;
const worker = { WorkerGlobalScope: scope, navigator, process: undefined, window: undefined };

const browsers = {
  'a page': { window: { document }, document, navigator, process: undefined },
  'a page whose bundle provides process': {
    window: { document },
    navigator,
    process: { env: {}, versions: {}, browser: true },
  },
  'an Electron page with Node integration': {
    window: { document },
    navigator,
    process: { ...server, versions: { ...server.versions, electron: '38.0.0' }, type: 'renderer' },
  },
  'a test with jsdom': { window: { document, navigator }, document, navigator },
  'a worker': { ...worker, DedicatedWorkerGlobalScope: scope },
  'a shared worker': { ...worker, SharedWorkerGlobalScope: scope },
  'a service worker': { ...worker, ServiceWorkerGlobalScope: scope, clients: {} },
  'a worker whose bundle provides process': { ...worker, process: { env: {}, versions: {} } },
};

describe.each(Object.entries(browsers))('in %s', (_, globals) => {
  test.each([
    ['a key', { apiKey }],
    ['a function that returns a key', { apiKey: async () => apiKey }],
  ])('%s is rejected and not quoted', (__, options) => {
    const error = within(globals, () => thrown(make(options)));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('dangerouslyAllowBrowser');
    expect(printed(error)).not.toContain(apiKey);
  });

  test('a key passed to withOptions is rejected', () => {
    const gateway = within(globals, make({ apiKey: null }));
    const error = within(globals, () => thrown(() => gateway.withOptions({ apiKey })));
    expect(error).toBeInstanceOf(ConfigurationError);
  });

  test('no key, or a key with dangerouslyAllowBrowser, is accepted', () => {
    expect(within(globals, make({ apiKey: null }))).toBeInstanceOf(Polygate);
    const allowed = make({ apiKey, dangerouslyAllowBrowser: true });
    expect(within(globals, allowed)).toBeInstanceOf(Polygate);
  });
});

test('a key in the environment of a page is rejected like a key in the options', () => {
  const env = { POLYGATE_API_KEY: apiKey, POLYGATE_BASE_URL: baseURL };
  const globals = { window: { document }, process: { env, versions: { node: '24.0.0' } } };
  expect(within(globals, () => thrown(() => new Polygate()))).toBeInstanceOf(ConfigurationError);
  expect(within(globals, make({ apiKey: null }))).toBeInstanceOf(Polygate);
});

const bare = { process: undefined, window: undefined, document: undefined };
test.each(
  Object.entries({
    Node: {},
    'a Node worker thread': { window: undefined },
    'the main process of Electron': {
      process: { ...server, versions: { ...server.versions, electron: '38.0.0' }, type: 'browser' },
    },
    Deno: { ...bare, Deno: { version: {} }, navigator: { userAgent: 'Deno/2.5.0' } },
    'Deno 1, which has a window': { ...bare, Deno: {}, window: { closed: false } },
    'a Deno worker': { ...bare, Deno: {}, WorkerGlobalScope: scope, navigator },
    Bun: { Bun: {}, navigator: { userAgent: 'Bun/1.3.0' } },
    'a Bun worker': { Bun: {}, WorkerGlobalScope: scope, navigator },
    workerd: { ...worker, navigator: { userAgent: 'Cloudflare-Workers' } },
    'workerd with Node compatibility': {
      WorkerGlobalScope: scope,
      navigator: { userAgent: 'Cloudflare-Workers' },
      process: { env: {}, versions: { node: '22.0.0' } },
    },
    'workerd with an old compatibility date': { ...worker, navigator: undefined },
    'an edge function': { ...bare, EdgeRuntime: 'edge-runtime', navigator: undefined },
    'React Native': { window: {}, navigator: { product: 'ReactNative' }, process: { env: {} } },
  }),
)('%s is not a browser', (_, globals) => {
  expect(within(globals, make({ apiKey }))).toBeInstanceOf(Polygate);
});
