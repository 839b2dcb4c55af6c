import { defineConfig } from 'vitest/config';

/** Tests that build the site or install the playground, which are in the same place for all of them. */
const alone = ['test/runtimes/{playground*,site,site-home}.test.ts'];

const settings = {
  environment: 'node',
  hookTimeout: 300_000,
  expect: { poll: { timeout: 50_000 } },
  testTimeout: 120_000,
} as const;

// These tests run the packed package in the runtimes that users run. The dependencies of each runtime are installed on
// demand; browsers come from scripts/install-browsers.sh.
export default defineConfig({
  test: {
    // For all projects, so they do not extend this configuration.
    globalSetup: 'test/packaging/setup.ts',
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...settings,
          name: 'runtimes',
          include: ['test/runtimes/**/*.test.ts'],
          exclude: alone,
        },
      },
      {
        test: {
          ...settings,
          name: 'runtimes, alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
