import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { expect, test } from 'vitest';

import { root } from '../docs/guides.ts';

/** Bundles exports of the sources, as a bundler of an app does. */
async function bundle(contents: string, external: readonly string[]) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: new URL('src', root).pathname },
    alias: external.includes('polygate') ? {} : { polygate: './index.ts' },
    external: [...external],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { size: gzipSync(code).length, imports: imports.map(({ path }) => path) };
}

test('the entry imports React, and nothing of the client but types', async () => {
  const { imports } = await bundle("export * from './react/index.ts'", ['react', 'polygate']);
  expect(new Set(imports)).toEqual(new Set(['react']));
});
