import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { expect, test } from 'vitest';

import { reactInternals } from '../../../scripts/react-internals.ts';
import { root } from '../../docs/guides.ts';

/** Bundles an entry, as a bundler of an app does. */
async function bundle(contents: string, options: BuildOptions = {}) {
  const { outputFiles = [], metafile } = await build({
    stdin: { contents, resolveDir: new URL('src', root).pathname },
    external: ['react', 'polygate'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    metafile: true,
    write: false,
    ...options,
  });
  const imports = Object.values(metafile?.outputs ?? {}).flatMap((output) => output.imports);
  const { text = '' } = outputFiles[0] ?? {};
  return { text, imports: imports.map(({ path }) => path) };
}

const hooks = () =>
  bundle("export * from './integrations/react/index.ts'", { mangleProps: reactInternals });

test('the entry imports React, and nothing of the client but types', async () => {
  const { imports } = await hooks();
  expect(new Set(imports)).toEqual(new Set(['react']));
});

test('the entry adds at most 7.4 KiB to a page that has the client', async () => {
  const { text } = await hooks();
  const client = await bundle("export { Polygate } from './index.ts'", { external: [] });
  const size = (code: string) => gzipSync(code, { level: 9 }).length;
  expect(size(client.text + text) - size(client.text)).toBeLessThanOrEqual(7.4 * 1024);
});
