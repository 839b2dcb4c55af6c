import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

import { run } from './run.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A temporary folder that is removed after the tests. */
    workspace: string;
    /** Path of the packed package. */
    tarball: string;
  }
}

/** Builds the package, unless it is built, and packs it once for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workspace = await mkdtemp(join(tmpdir(), 'polygate-packaging-'));
  // `.ci/run` sets this after a suite that has built the package.
  if (process.env.POLYGATE_BUILT !== 'yes') await run('npm', ['run', 'build'], project.config.root);
  await run('npm', ['pack', '--pack-destination', workspace], project.config.root);
  const tarball = (await readdir(workspace)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack created no tarball');

  project.provide('workspace', workspace);
  project.provide('tarball', join(workspace, tarball));
  return () => rm(workspace, { recursive: true, force: true });
}
