import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { beforeAll, expect, inject, test } from 'vitest';

import { createApp } from './app.ts';

let app: string;

beforeAll(async () => {
  app = await createApp('browser', [inject('tarball')]);
});

test.each([
  { code: "export * from 'polygate'", splitting: true, maxKiB: 33.5 },
  { code: "export * from 'polygate'", splitting: false, maxKiB: 82.7 },
  { code: "export { ChatClient } from 'polygate/chat'", splitting: false, maxKiB: 40.8 },
  { code: "export { PolygateError } from 'polygate'", splitting: false, maxKiB: 1 },
  { code: "export { RateLimitError } from 'polygate'", splitting: false, maxKiB: 1.25 },
])(
  'a page with $code (splitting: $splitting) loads at most $maxKiB KiB and no Node.js modules',
  async ({ code, splitting, maxKiB }) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: code, resolveDir: app },
      bundle: true,
      splitting,
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
    const outputs = Object.entries(metafile.outputs);
    const external = outputs.flatMap(([, { imports }]) =>
      imports.filter((imported) => imported.external),
    );
    expect(external).toEqual([]);
    // What the entry imports statically is loaded before the first call.
    const loaded = new Set(
      outputs.filter(([, { entryPoint }]) => entryPoint === '<stdin>').map(([name]) => name),
    );
    for (const name of loaded) {
      for (const { path, kind } of metafile.outputs[name]?.imports ?? []) {
        if (kind === 'import-statement') loaded.add(path);
      }
    }
    const bytes = outputFiles
      .filter(({ path }) => [...loaded].some((name) => path.endsWith(`/${name}`)))
      .reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(maxKiB * 1024);
  },
);

// Of the entries without peer dependencies, only `journal`, `mock/node` and `node` use Node.js modules.
test.each([
  'polygate/all',
  'polygate/chat',
  'polygate/doctor',
  'polygate/mock',
  'polygate/proxy',
  'polygate/proxy/redis',
  'polygate/proxy/testing',
  'polygate/schemas',
])('%s is bundled for a page, without Node.js modules', async (entry) => {
  // A module that cannot be resolved fails the build.
  const building = build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: app },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    write: false,
    absWorkingDir: app,
    logLevel: 'silent',
  });
  await expect(building).resolves.toMatchObject({ errors: [] });
});
