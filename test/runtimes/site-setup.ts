import type { TestProject } from 'vitest/node';

import { run } from '../packaging/run.ts';

/** Installs Playwright and axe with the playground, and builds the site once for all test files. */
export default async function setup({ config }: TestProject): Promise<void> {
  await run('npm', ['run', 'docs'], config.root);
}
