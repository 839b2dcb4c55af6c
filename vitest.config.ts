import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Resolves the package's own name to its sources, so that examples and tests need no build.
    alias: [
      { find: /^polygate$/, replacement: source('index.ts') },
      { find: /^polygate\/chat$/, replacement: source('chat.ts') },
      { find: /^polygate\/proxy$/, replacement: source('proxy/index.ts') },
      { find: /^polygate\/journal$/, replacement: source('journal/index.ts') },
      { find: /^polygate\/node$/, replacement: source('node/index.ts') },
      { find: /^polygate\/mock$/, replacement: source('mock/index.ts') },
      { find: /^polygate\/mock\/node$/, replacement: source('mock/node/index.ts') },
      { find: /^polygate\/mock\/msw$/, replacement: source('mock/msw.ts') },
    ],
  },
  test: {
    environment: 'node',
    // The default of one worker fewer than cores leaves a single worker on a small machine.
    maxWorkers: '100%',
    include: ['{test,examples}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/packaging/**', 'test/runtimes/**', 'test/long/**'],
    typecheck: { include: ['test/types/**/*.test-d.ts'] },
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      exclude: ['**/node_modules/**', 'src/mock/node/cli.ts'],
    },
  },
});
