import { afterEach, describe, expect, test, vi } from 'vitest';

import { ConfigurationError, Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { baseURL, thrown } from '../support.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Runs a function with these globals, and removes them afterwards. */
function within<Result>(globals: Readonly<Record<string, unknown>>, work: () => Result): Result {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  try {
    return work();
  } finally {
    vi.unstubAllGlobals();
  }
}

const document = {};
const scope = () => undefined;
const page = { window: { document }, document };
const worker = {
  process: undefined,
  WorkerGlobalScope: scope,
  navigator: { userAgent: 'Mozilla/5.0' },
};
const make = (options: PolygateOptions) => () => new Polygate({ baseURL, ...options });

describe.each([
  ['a page', page],
  ["a page's worker", worker],
])('in %s', (_, globals) => {
  test('a key is rejected with a hint about dangerouslyAllowBrowser, and is not quoted', () => {
    const error = within(globals, () => thrown(make({ apiKey: 'sk-canary' })));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('apiKey');
    expect(error.message).toContain('dangerouslyAllowBrowser');
    expect(error.message).not.toContain('canary');
  });

  test('dangerouslyAllowBrowser: true allows a key', () => {
    const options = { apiKey: 'sk-test', dangerouslyAllowBrowser: true };
    expect(within(globals, make(options))).toBeInstanceOf(Polygate);
  });

  test('dangerouslyAllowBrowser: false does not allow a key', () => {
    const options = { apiKey: 'sk-test', dangerouslyAllowBrowser: false };
    expect(within(globals, () => thrown(make(options)))).toBeInstanceOf(ConfigurationError);
  });

  test('a client with apiKey: null needs no option', () => {
    expect(within(globals, make({ apiKey: null }))).toBeInstanceOf(Polygate);
  });
});

test.each([
  ['Node', {}],
  ['Deno', { Deno: {}, process: undefined, WorkerGlobalScope: scope, window: undefined }],
  [
    'a Cloudflare worker',
    {
      process: undefined,
      WorkerGlobalScope: scope,
      navigator: { userAgent: 'Cloudflare-Workers' },
    },
  ],
  ['a test with a window but no document', { window: {} }],
])('%s is not a browser', (_, globals) => {
  expect(within(globals, make({ apiKey: 'sk-test' }))).toBeInstanceOf(Polygate);
});
