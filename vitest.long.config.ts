import { defineConfig } from 'vitest/config';

import base from './vitest.config.ts';

// Tests that take minutes: fuzzing, soak tests, killed processes. Each file uses the whole machine.
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    environment: 'node',
    include: ['test/long/**/*.test.ts'],
    fileParallelism: false,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
    testTimeout: 900_000,
  },
});
