import { defineConfig } from 'vitest/config';

import base from './vitest.config.ts';

// What takes minutes: fuzzing, soaks, processes that are killed. Each file keeps the machine busy alone.
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    environment: 'node',
    include: ['test/long/**/*.test.ts'],
    fileParallelism: false,
    hookTimeout: 300_000,
    testTimeout: 900_000,
  },
});
