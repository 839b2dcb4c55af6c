import { defineConfig } from 'vitest/config';

// These tests run the packed package in the runtimes that users run. The dependencies of each runtime are installed on
// demand; browsers come from scripts/install-browsers.sh.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/runtimes/**/*.test.ts'],
    globalSetup: 'test/packaging/setup.ts',
    fileParallelism: false,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
    testTimeout: 120_000,
  },
});
