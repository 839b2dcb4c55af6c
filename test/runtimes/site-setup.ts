import type { TestProject } from 'vitest/node';

import { run } from '../packaging/run.ts';

/** Builds the site once for all test files, unless it is built. */
export default async function setup({ config }: TestProject): Promise<void> {
  // `.ci/run` sets this after the checks, which build the site.
  if (process.env.POLYGATE_SITE_BUILT !== 'yes') await run('npm', ['run', 'docs'], config.root);
}
