import { defineConfig } from 'vitest/config';

// These tests install the packed package as a user does. They are slow, and each file uses the whole machine.
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
