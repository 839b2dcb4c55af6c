import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

import { run } from './run.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A temporary folder, removed at the end. */
    workshop: string;
    /** The packed package in it. */
    tarball: string;
  }
}

/** Builds and packs the package once for every file of this folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workshop = await mkdtemp(join(tmpdir(), 'polygate-packaging-'));
  await run('npm', ['run', 'build'], project.config.root);
  await run('npm', ['pack', '--pack-destination', workshop], project.config.root);
  const tarball = (await readdir(workshop)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');

  project.provide('workshop', workshop);
  project.provide('tarball', join(workshop, tarball));
  return () => rm(workshop, { recursive: true, force: true });
}
