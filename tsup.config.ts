import { copyFileSync, rmSync } from 'node:fs';

import { defineConfig } from 'tsup';
import type { Options } from 'tsup';

// All builds write below dist at the same time, so none of them can be the one that empties it.
rmSync('dist', { recursive: true, force: true });

/**
 * A schema that an entry does not use leaves it only if building it is known to do nothing else. Rollup asks for the
 * names of such functions, and the bundler calls the zod namespace of the n-th file `z<n>`.
 */
const zodNamespaces = ['z', ...Array.from({ length: 99 }, (_, index) => `z${index + 2}`)];

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
    entry: { index: 'src/index.ts', chat: 'src/chat.ts', journal: 'src/journal/index.ts' },
    outDir: 'dist',
    dts: true,
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
    name: 'browser',
    entry: { ky: 'src/browser/ky.ts' },
    outDir: 'dist/browser',
  },
  {
    ...shared,
    name: 'mock',
    entry: {
      index: 'src/mock/index.ts',
      node: 'src/mock/node/index.ts',
      msw: 'src/mock/msw.ts',
      cli: 'src/mock/node/cli.ts',
    },
    outDir: 'dist/mock',
    dts: {
      entry: { index: 'src/mock/index.ts', node: 'src/mock/node/index.ts', msw: 'src/mock/msw.ts' },
    },
    noExternal: [/^hono\b/],
    // Its licence travels with the code that is bundled in.
    onSuccess: async () => copyFileSync('node_modules/hono/LICENSE', 'dist/mock/hono.LICENSE'),
  },
]);
