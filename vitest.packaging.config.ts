import { defineConfig } from 'vitest/config';

// These tests install the packed package as a user does. They are slow: most of the time, npm installs packages.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/packaging/**/*.test.ts'],
    globalSetup: 'test/packaging/setup.ts',
    maxWorkers: '100%',
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
    // Programs inherit the environment; values in color would not equal the expected output.
    env: { FORCE_COLOR: '0' },
    testTimeout: 120_000,
  },
});
