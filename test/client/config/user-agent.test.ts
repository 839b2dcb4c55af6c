import { afterEach, describe, expect, test, vi } from 'vitest';

import packageJson from '../../../package.json' with { type: 'json' };
import { version } from '../../../src/client/config/environment.ts';
import type { PolygateOptions, RequestOptions } from '../../../src/index.ts';
import { clientOf, modelList, scripted } from '../support.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The `user-agent` header of a request that a client sends in a runtime with these globals. */
async function sentIn(
  globals: Readonly<Record<string, unknown>>,
  options: PolygateOptions = {},
  callOptions: RequestOptions = {},
): Promise<string | null | undefined> {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const { fetch, sent } = scripted(modelList);
  await clientOf(fetch, { dangerouslyAllowBrowser: true, ...options }).models.list({}, callOptions);
  return sent[0]?.headers.get('user-agent');
}

test('the version in the sources is that of the package', () => {
  expect(version).toBe(packageJson.version);
});

describe('user-agent names the package and the runtime', () => {
  const process = (versions: Record<string, string>) => ({ process: { versions } });

  test.each([
    ['Node', {}, `node/${globalThis.process.versions.node}`],
    ['Bun', process({ node: '24.0.0', bun: '1.4.5' }), 'bun/1.4.5'],
    ['Deno', process({ node: '24.0.0', deno: '2.9.6' }), 'deno/2.9.6'],
    ['workerd', { navigator: { userAgent: 'Cloudflare-Workers' } }, 'workerd'],
  ])('%s', async (_, globals, runtime) => {
    expect(await sentIn(globals)).toBe(`polygate/${version} (${runtime})`);
  });
});

test.each([
  ['a page', { window: { document: {} }, document: {} }],
  [
    'a web worker',
    {
      process: undefined,
      WorkerGlobalScope: () => undefined,
      navigator: { userAgent: 'Mozilla/5.0' },
    },
  ],
  ['an unknown runtime', { process: undefined, navigator: undefined }],
])('no user-agent is sent in %s', async (_, globals) => {
  expect(await sentIn(globals)).toBeNull();
});

describe('the caller can', () => {
  test.each([
    ['replace user-agent for the client', { headers: { 'User-Agent': 'mine' } }, {}, 'mine'],
    ['replace user-agent for a call', {}, { headers: { 'User-Agent': 'mine' } }, 'mine'],
    ['remove user-agent for the client', { headers: { 'user-agent': null } }, {}, null],
    ['remove user-agent for a call', {}, { headers: { 'user-agent': null } }, null],
  ])('%s', async (_, options, callOptions, expected) => {
    expect(await sentIn({}, options, callOptions)).toBe(expected);
  });

  test('leave it undefined to keep the default', async () => {
    const headers = { 'user-agent': undefined };
    expect(await sentIn({}, { headers }, { headers })).toMatch(/^polygate\//);
  });
});
