import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

import { run } from '../packaging/run.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the page that needs the playground's server. */
    playground: string;
  }
}

/** Installs the playground with Playwright and axe, and builds its page once for all test files. */
export default async function setup({
  config,
  provide,
}: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-playground-'));
  await run(process.execPath, ['playground/build.ts', folder], config.root);
  provide('playground', folder);
  return () => rm(folder, { recursive: true, force: true });
}
