import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import config from '../../oxlint.config.ts';

const oxlint = fileURLToPath(new URL('../../node_modules/oxlint/bin/oxlint', import.meta.url));

test('the linter rejects members of URL that supported runtimes lack', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'polygate-lint-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  // Type information would need the sources.
  await writeFile(join(copy, '.oxlintrc.json'), JSON.stringify({ ...config, options: {} }));
  const text = "export const a = URL.parse('x');\nexport const b = URL.canParse('x');\n";
  for (const file of [
    'src/client/http/a.ts',
    'src/tools/doctor/a.ts',
    'src/tools/cli/a.ts',
    'src/mock/a.ts',
  ]) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), text);
  }
  const { stdout } = await promisify(execFile)(process.execPath, [oxlint, '--format=json'], {
    cwd: copy,
  }).catch((error: { stdout: string }) => error);
  const { diagnostics }: { diagnostics: { code: string; filename: string }[] } = JSON.parse(stdout);
  const found = diagnostics.filter(({ code }) => code === 'eslint(no-restricted-properties)');
  const twice = ['src/tools/cli/a.ts', 'src/client/http/a.ts', 'src/tools/doctor/a.ts'].flatMap(
    (file) => [file, file],
  );
  // The reference gateway may use `URL.canParse`.
  expect(found.map(({ filename }) => filename).toSorted()).toEqual(
    [...twice, 'src/mock/a.ts'].toSorted(),
  );
});
