import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';

import { createApp } from './app.ts';

test('the whole client bundles for the browser without Node.js modules and stays under 56 KiB', async () => {
  const app = await createApp('browser', [inject('tarball')]);
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export * from 'polygate';", resolveDir: app },
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2023',
    metafile: true,
    write: false,
    outdir: app,
    absWorkingDir: app,
    logLevel: 'silent',
  });

  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  expect(imports).toEqual([]);
  const bytes = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).byteLength, 0);
  expect(bytes).toBeLessThan(56 * 1024);
});
