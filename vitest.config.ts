import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // The package's own name means its sources, so that examples and tests need no build.
    alias: [
      { find: /^polygate$/, replacement: source('index.ts') },
      { find: /^polygate\/chat$/, replacement: source('chat.ts') },
      { find: /^polygate\/proxy$/, replacement: source('proxy/index.ts') },
      { find: /^polygate\/journal$/, replacement: source('journal/index.ts') },
      { find: /^polygate\/mock$/, replacement: source('mock/index.ts') },
      { find: /^polygate\/mock\/node$/, replacement: source('mock/node/index.ts') },
      { find: /^polygate\/mock\/msw$/, replacement: source('mock/msw.ts') },
    ],
  },
  test: {
    environment: 'node',
    // One worker fewer than cores, the default, would be one alone on a small machine.
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
