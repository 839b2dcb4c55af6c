import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import type { NodeFetchDispatcher, nodeFetch } from 'polygate/node';
import { describe, expect, onTestFinished, test } from 'vitest';

import { failure, openFetch } from './support.ts';

const source = (path: string) => fileURLToPath(new URL(`../../../../src/${path}`, import.meta.url));

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Loads a package in a folder `undici-copy`, whose dispatcher sends each request a second time. */
async function loadPackage(manifest: object | undefined) {
  const folder = join(await temporaryFolder(), 'undici-copy');
  await mkdir(folder);
  if (manifest) await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const index = join(folder, 'index.js');
  await writeFile(
    index,
    `exports.sent = [];
    exports.Dispatcher = class {
      dispatch({ method }, handler) {
        let reason;
        const controller = { abort: (given) => { reason = given; } };
        for (const connection of ['first', 'second']) {
          handler.onRequestStart(controller, {});
          if (!reason) exports.sent.push(connection);
        }
        handler.onResponseError(controller, reason || new Error('lost'));
        return true;
      }
    };`,
  );
  const require = createRequire(index);
  onTestFinished(() => {
    delete require.cache[index];
  });
  return require(index) as { sent: string[]; Dispatcher: new () => NodeFetchDispatcher };
}

describe('a dispatcher that sends a POST a second time', () => {
  test('may, if it is of a version of undici that is careful', async () => {
    const { sent, Dispatcher } = await loadPackage({ name: 'undici', version: '8.4.0' });
    await failure(openFetch({ dispatcher: new Dispatcher() })('http://x.test', { method: 'POST' }));
    expect(sent).toEqual(['first', 'second']);
  });

  test.each([
    ['if it is of an earlier version', { name: 'undici', version: '8.3.9' }],
    ['if another package passes on its class', { name: 'undici-copy', version: '9.0.0' }],
    ['if the package of its class cannot be read', undefined],
  ])('is kept from it %s', async (_, manifest) => {
    const { sent, Dispatcher } = await loadPackage(manifest);
    await failure(openFetch({ dispatcher: new Dispatcher() })('http://x.test', { method: 'POST' }));
    expect(sent).toEqual(['first']);
  });
});

test('a bundle of CommonJS, which has no URL of its own, accepts a dispatcher', async () => {
  const folder = await temporaryFolder();
  const outfile = join(folder, 'bundle.cjs');
  await build({
    entryPoints: [source('integrations/node/index.ts')],
    alias: { polygate: source('index.ts') },
    bundle: true,
    format: 'cjs',
    logLevel: 'silent',
    outfile,
    platform: 'node',
  });
  const bundle = createRequire(outfile)(outfile) as { nodeFetch: typeof nodeFetch };
  const dispatcher: NodeFetchDispatcher = { dispatch: () => true };
  expect(() => bundle.nodeFetch({ dispatcher })).not.toThrow();
});
