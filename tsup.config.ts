import { copyFileSync, rmSync } from 'node:fs';

import { defineConfig } from 'tsup';
import type { Options } from 'tsup';

import { reactInternals } from './scripts/react-internals.ts';

// All builds write to dist in parallel, so it has to be emptied before the first one starts.
rmSync('dist', { recursive: true, force: true });

const shared: Options = {
  format: 'esm',
  target: ['es2023', 'node20.19'],
  treeshake: { moduleSideEffects: 'no-external' },
  sourcemap: true,
  removeNodeProtocol: false,
  silent: true,
};

/** What an entry changes about the build. */
type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Imports the error classes of the client from its build, so that `instanceof` works with those of `polygate`. */
const clientErrors = (path: string): Plugin => ({
  name: 'client errors',
  setup: (build) =>
    build.onResolve({ filter: /\/errors\/base\.ts$/ }, () => ({
      path,
      external: true,
    })),
});

/**
 * The other entries have copies of the client's rules, and of none of the parts that the client loads later. esbuild would
 * write these to files that no code loads.
 */
const withoutParts: Plugin = {
  name: 'without parts',
  setup: (build) =>
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && /\/src\/client\//.test(importer)
        ? { path, external: true }
        : undefined,
    ),
};

/** Packages that are copied into the build, with the file that contains their licence. */
const bundled = {
  'csv-parse': 'LICENSE',
  fflate: 'LICENSE',
  hono: 'LICENSE',
  'yocto-spinner': 'license',
  yoctocolors: 'license',
};

// The reference gateway is built separately. Both use the schemas, and a shared chunk would add schemas to the client
// that only the gateway uses.
export default defineConfig([
  {
    ...shared,
    // scripts/build-client.ts builds their code.
    name: 'client types',
    entry: {
      index: 'src/index.ts',
      chat: 'src/chat.ts',
      journal: 'src/integrations/journal/index.ts',
      all: 'src/all.ts',
    },
    outDir: 'dist',
    dts: { only: true },
  },
  ...['ai-sdk', 'bullmq'].map((name) => ({
    ...shared,
    name: `${name} types`,
    entry: { [name]: `src/integrations/${name}/index.ts` },
    outDir: 'dist',
    // They refer to those of the package by its name: a shared chunk would rename every export of `polygate`.
    dts: { only: true },
    external: ['polygate'],
  })),
  {
    ...shared,
    name: 'node',
    entry: { node: 'src/integrations/node/index.ts' },
    outDir: 'dist',
    dts: true,
    esbuildPlugins: [withoutParts, clientErrors('./client/errors.js')],
    // It uses the public API of this package, which it imports by name as a user's code does.
    external: ['polygate'],
  },
  {
    ...shared,
    name: 'doctor',
    entry: { doctor: 'src/tools/doctor/index.ts' },
    outDir: 'dist',
    dts: true,
    esbuildPlugins: [withoutParts, clientErrors('./client/errors.js')],
    external: ['polygate'],
  },
  {
    ...shared,
    name: 'otel',
    entry: { otel: 'src/integrations/otel/index.ts' },
    outDir: 'dist',
    dts: true,
    esbuildPlugins: [withoutParts, clientErrors('./client/errors.js')],
    external: ['polygate'],
  },
  {
    ...shared,
    name: 'react',
    entry: { react: 'src/integrations/react/index.ts' },
    outDir: 'dist',
    dts: true,
    external: ['polygate', 'react'],
    // Frameworks render these hooks in the browser. Rollup would remove the directive.
    banner: { js: "'use client';" },
    treeshake: false,
    esbuildOptions: (options) => {
      options.mangleProps = reactInternals;
    },
  },
  {
    ...shared,
    name: 'proxy',
    entry: {
      index: 'src/integrations/proxy/index.ts',
      redis: 'src/integrations/proxy/redis/index.ts',
      testing: 'src/integrations/proxy/testing/index.ts',
    },
    outDir: 'dist/proxy',
    dts: true,
    esbuildPlugins: [withoutParts, clientErrors('../client/errors.js')],
  },
  {
    ...shared,
    name: 'schemas',
    entry: { schemas: 'src/wire/schemas/index.ts' },
    outDir: 'dist',
    dts: true,
    external: ['polygate'],
  },
  {
    ...shared,
    name: 'mock and commands',
    esbuildPlugins: [withoutParts],
    entry: {
      'mock/index': 'src/mock/index.ts',
      'mock/node': 'src/mock/node/index.ts',
      'mock/msw': 'src/mock/msw.ts',
      'mock/cli': 'src/tools/cli/polygate-mock.ts',
      cli: 'src/tools/cli/polygate.ts',
    },
    outDir: 'dist',
    dts: {
      entry: {
        'mock/index': 'src/mock/index.ts',
        'mock/node': 'src/mock/node/index.ts',
        'mock/msw': 'src/mock/msw.ts',
      },
    },
    // The commands use the client and the doctor as they are installed.
    external: ['polygate'],
    noExternal: Object.keys(bundled).map((name) => new RegExp(`^${name}\\b`)),
    // The licence of a package has to accompany its bundled code.
    onSuccess: async () => {
      for (const [name, licence] of Object.entries(bundled)) {
        copyFileSync(`node_modules/${name}/${licence}`, `dist/mock/${name}.LICENSE`);
      }
    },
  },
]);
