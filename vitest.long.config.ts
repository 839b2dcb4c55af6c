import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

import base from './vitest.config.ts';

/** Tests of several processes with Redis, which wait most of the time. */
const withRedis = ['test/long/{proxy,queue}/**/*.test.ts'];

/** Tests that measure memory or time, kill processes or fill a disk. Each file uses the whole machine. */
const alone = [
  'test/long/*{allocations,disk,kill,leaks,memory,outage,process,soak,throughput}.test.ts',
];

/** Vitest begins with the largest files, but those with many random sequences or outages take longest, and would end alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification) =>
      !/\/long\/(life|books|queue\/outage)/.test(moduleId);
    return files.toSorted((one, other) => Number(isShort(one)) - Number(isShort(other)));
  }
}

// Tests that take minutes: fuzzing, soak tests, killed processes.
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    environment: 'node',
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
    testTimeout: 900_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          exclude: [...withRedis, ...alone],
        },
      },
      {
        extends: true,
        test: {
          name: 'long, with Redis',
          include: withRedis,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long, alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
