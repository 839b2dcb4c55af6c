import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { inject } from 'vitest';

import { run } from './run.ts';

/** Creates an empty project in the workspace, installs packages into it and returns its folder. */
export async function createApp(name: string, packages: string[]): Promise<string> {
  const app = join(inject('workspace'), name);
  await mkdir(app);
  await writeFile(
    join(app, 'package.json'),
    JSON.stringify({ private: true, type: 'module', allowScripts: { node: true } }),
  );
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], app);
  return app;
}

/** Copies a fixture into a project. */
export async function addFixture(app: string, name: string): Promise<void> {
  await copyFile(new URL(`fixtures/${name}`, import.meta.url), join(app, name));
}
