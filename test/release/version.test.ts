import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));
const source = 'src/client/config/environment.ts';

test('the script of a release copies the version and changes nothing else', () => {
  const copy = mkdtempSync(join(tmpdir(), 'polygate-version-'));
  onTestFinished(() => {
    rmSync(copy, { recursive: true });
  });
  const read = (path: string, folder = copy) => readFileSync(join(folder, path), 'utf8');
  for (const file of ['package-lock.json', source]) cpSync(join(root, file), join(copy, file));
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, version: '98.7.6' }));

  execFileSync(process.execPath, [join(root, 'scripts/version.ts')], { cwd: copy });

  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual(['98.7.6', '98.7.6']);
  expect(read(source)).toContain(`export const version = '98.7.6';`);
  for (const file of ['package-lock.json', source]) {
    expect(read(file).replaceAll('98.7.6', manifest.version)).toBe(read(file, root));
  }
});

test('no changeset begins with a list, because the changelog makes an item of it', () => {
  const folder = join(root, '.changeset');
  const lists = readdirSync(folder).filter((file) => {
    const [, , text = ''] = readFileSync(join(folder, file), 'utf8').split(/^---$/m);
    return file.endsWith('.md') && /^[-*] /.test(text.trim());
  });
  expect(lists).toEqual([]);
});
