import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { UsageError } from '../../../src/tools/cli/arguments.ts';
import {
  ExistingFiles,
  checkTemplate,
  fillTemplate,
  nameOfTask,
  withNumber,
} from '../../../src/tools/cli/output-name.ts';

test.each([
  ['{id}.{ext}', 1, 'a.{ext}'],
  ['{id}.{ext}', 2, 'a-2.{ext}'],
  ['out/{id}-{n}.{ext}', 2, 'out/a-2.{ext}'],
  ['harbor.png', 1, 'harbor.png'],
  ['harbor.png', 3, 'harbor-3.png'],
  ['out/harbor', 2, 'out/harbor-2'],
])('result %s number %d is called %s', (template, n, name) => {
  expect(fillTemplate(template, { id: 'a', n })).toBe(name);
});

test('an id with a placeholder or a replacement pattern in it is used as it is', () => {
  expect(fillTemplate('{id}.png', { id: '$&{n}', n: 1 })).toBe('$&{n}.png');
});

test('a further name has a number before its extension', () => {
  expect(withNumber('out/a.b.png', 2)).toBe('out/a.b-2.png');
  expect(withNumber('out/a.{ext}', 2)).toBe('out/a-2.{ext}');
});

test.each(['', 'out/', '{name}.png', '{ext}/a.png', '..', 'a\0'])(
  '-o %j is rejected',
  (template) => {
    expect(() => checkTemplate(template)).toThrow(UsageError);
  },
);

test('a task id cannot lead to another folder', () => {
  expect(nameOfTask('../../etc/passwd')).toBe('__.._etc_passwd');
  expect(nameOfTask('a/b\\c\u0000d')).toBe('a_b_c_d');
  expect(nameOfTask('')).toBe('result');
  expect(nameOfTask('x'.repeat(500))).toHaveLength(100);
});

test('a name with {ext} is taken by a file with any extension', () => {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-names-'));
  writeFileSync(join(folder, 'harbor.webp'), '');
  const existing = new ExistingFiles();
  expect(existing.find(join(folder, 'harbor.{ext}'))).toBe(join(folder, 'harbor.webp'));
  expect(existing.find(join(folder, 'harbor.png'))).toBeUndefined();
  expect(existing.find(join(folder, 'harb.{ext}'))).toBeUndefined();
  expect(existing.find(join(folder, 'missing', 'harbor.{ext}'))).toBeUndefined();
  rmSync(folder, { recursive: true });
});
