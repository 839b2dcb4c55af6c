import { defineConfig } from 'vitest/config';

import base from './vitest.config.ts';

/** Tests that measure memory or time, kill processes or fill Redis. Each file uses the whole machine. */
const alone = [
  'test/long/{proxy,queue}/**/*.test.ts',
  'test/long/*{allocations,disk,kill,leaks,memory,outage,process,soak,throughput}.test.ts',
];

// Tests that take minutes: fuzzing, soak tests, killed processes.
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    environment: 'node',
    maxWorkers: '100%',
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
    testTimeout: 900_000,
    projects: [
      {
        extends: true,
        test: { name: 'long', include: ['test/long/**/*.test.ts'], exclude: alone },
      },
      {
        extends: true,
        test: {
          name: 'long, alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
