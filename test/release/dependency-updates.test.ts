import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('dependencies are updated in every folder with a lockfile', () => {
  const [, list = ''] =
    /directories: \[(.+)\]/.exec(readFileSync(`${root}.github/dependabot.yml`, 'utf8')) ?? [];
  const lockfiles = globSync('**/package-lock.json', { cwd: root, exclude: ['**/node_modules'] });
  const folders = lockfiles.map((file) => `/${dirname(file)}`.replace(/\/\.$/, '/'));
  expect(list.split(', ').toSorted()).toEqual(folders.toSorted());
});
