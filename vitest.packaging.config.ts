import { defineConfig } from 'vitest/config';

// These tests install the packed package the way a user does. They are slow, and each keeps the machine busy alone.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/packaging/**/*.test.ts'],
    globalSetup: 'test/packaging/setup.ts',
    fileParallelism: false,
    hookTimeout: 300_000,
    testTimeout: 120_000,
  },
});
