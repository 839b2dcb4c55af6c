import { defineConfig } from 'vitest/config';

import base from './vitest.config.ts';

const ofPlayground = ['test/runtimes/playground{,-chat,-focus,-lab,-static}.test.ts'];
const ofSite = ['test/runtimes/{site*,playground-site}.test.ts'];

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
          exclude: [...ofPlayground, ...ofSite],
        },
      },
      {
        resolve: base.resolve ?? {},
        test: {
          ...settings,
          name: 'playground',
          include: ofPlayground,
          globalSetup: 'test/runtimes/playground-setup.ts',
        },
      },
      {
        resolve: base.resolve ?? {},
        test: {
          ...settings,
          name: 'site',
          include: ofSite,
          globalSetup: 'test/runtimes/site-setup.ts',
        },
      },
    ],
  },
});
