import { copyFileSync, rmSync } from 'node:fs';

import { defineConfig } from 'tsup';
import type { Options } from 'tsup';
import type { Plugin } from 'esbuild';

// All builds write below dist at the same time, so none of them can be the one that empties it.
rmSync('dist', { recursive: true, force: true });

/**
 * A schema that an entry does not use leaves it only if building it is known to do nothing else. Rollup asks for the
 * names of such functions, and the bundler calls the zod namespace of the n-th file `z<n>`.
 */
const zodNamespaces = ['z', ...Array.from({ length: 99 }, (_, index) => `z${index + 2}`)];

/** Keeps a file out of the bundle, so that the `browser` field of package.json can put another in its place. */
const apart: Plugin = {
  name: 'apart',
  setup(build) {
    const path = './attempt.js';
    build.onResolve({ filter: /\/attempt\.ts$/ }, () => ({ path, external: true }));
  },
};

const shared: Options = {
  format: 'esm',
  target: ['es2023', 'node22'],
  treeshake: { manualPureFunctions: zodNamespaces, moduleSideEffects: 'no-external' },
  sourcemap: true,
  removeNodeProtocol: false,
  silent: true,
};

// The reference gateway is built apart: the two share schemas, and in a common chunk the client would carry those that
// only the gateway uses.
export default defineConfig([
  {
    ...shared,
    name: 'client',
    entry: { index: 'src/index.ts', journal: 'src/journal/index.ts' },
    outDir: 'dist',
    dts: true,
    esbuildPlugins: [apart],
  },
  {
    ...shared,
    name: 'attempt',
    entry: { attempt: 'src/core/attempt.ts', 'browser/attempt': 'src/browser/attempt.ts' },
    outDir: 'dist',
  },
  {
    ...shared,
    name: 'proxy',
    entry: { index: 'src/proxy/index.ts' },
    outDir: 'dist/proxy',
    dts: true,
  },
  {
    ...shared,
    name: 'mock',
    entry: {
      index: 'src/mock/index.ts',
      node: 'src/mock/node.ts',
      msw: 'src/mock/msw.ts',
      cli: 'src/mock/cli.ts',
    },
    outDir: 'dist/mock',
    dts: {
      entry: { index: 'src/mock/index.ts', node: 'src/mock/node.ts', msw: 'src/mock/msw.ts' },
    },
    noExternal: [/^hono\b/],
    // Its licence travels with the code that is bundled in.
    onSuccess: async () => copyFileSync('node_modules/hono/LICENSE', 'dist/mock/hono.LICENSE'),
  },
]);
