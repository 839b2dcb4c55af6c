import { fileURLToPath } from 'node:url';

import type { InlineConfig } from 'vite';

/** The path of a file of the playground. */
export const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Options that the server and the static build share. The page uses the client's source files. */
export const shared: InlineConfig = {
  root: resolvePath('.'),
  configFile: false,
  clearScreen: false,
  logLevel: 'warn',
  resolve: {
    alias: [
      { find: /^polygate$/, replacement: resolvePath('../src/index.ts') },
      { find: /^polygate\/mock$/, replacement: resolvePath('../src/mock/index.ts') },
      {
        find: /^polygate\/ai-sdk$/,
        replacement: resolvePath('../src/integrations/ai-sdk/index.ts'),
      },
    ],
  },
  // The client loads parts of itself when they are first used, which needs modules.
  worker: { format: 'es', rolldownOptions: { output: { codeSplitting: false } } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** Replaces the backend on a server by the one in the page. */
const inPage = {
  find: /^.*\/backend\/server\.ts$/,
  replacement: resolvePath('./src/backend/in-page.ts'),
};

/** The folder of the static files, which is a part of the package. */
const outDir = resolvePath('../dist/playground');

/** Options of a static build, which works below any path. */
export const staticBuild: InlineConfig = {
  ...shared,
  base: './',
  mode: 'production',
  // Browsers with `light-dark()`, which follows the color scheme of the page around an embedded view.
  build: {
    outDir,
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 1000,
  },
  resolve: {
    alias: [inPage, ...(Array.isArray(shared.resolve?.alias) ? shared.resolve.alias : [])],
  },
};
