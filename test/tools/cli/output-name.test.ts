import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { UsageError } from '../../../src/tools/cli/arguments.ts';
import {
  ExistingFiles,
  checkTemplate,
  fillTemplate,
  isTooLong,
  nameOfRow,
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

test.each([
  ['{id}.{ext}', 'CON', '%43ON.{ext}'],
  ['{id}.{ext}', 'aux', '%61ux.{ext}'],
  ['{id}.png', 'nul.txt', '%6Eul.txt.png'],
  ['out/{id}/{n}.png', 'lpt1', 'out/%6Cpt1/1.png'],
  ['{id}{n}.png', 'COM', '%43OM1.png'],
  ['img-{id}.png', 'CON', 'img-CON.png'],
  ['{id}.{ext}', 'concert', 'concert.{ext}'],
  ['{id}.png', 'a:b', 'a%3Ab.png'],
  ['{id}.png', '<a|b>?*"', '%3Ca%7Cb%3E%3F%2A%22.png'],
  ['{id}.png', 'a./b /c.', 'a%2E/b%20/c..png'],
  ['{id}', 'a.', 'a%2E'],
  ['{id}', '..', '..'],
  ['aux/a:b-{id}.png', '1', 'aux/a:b-1.png'],
  ['{id}.png', 'Zürich 50%', 'Zürich 50%.png'],
])('in %s, the id %j gives a name that Windows allows, too: %s', (template, id, name) => {
  expect(nameOfRow(template, { id, n: 1 })).toBe(name);
});

test('every part of a path has a length that file systems allow', () => {
  expect(isTooLong(`${'x'.repeat(240)}/${'é'.repeat(120)}`)).toBe(false);
  expect(isTooLong(`${'x'.repeat(241)}/a`)).toBe(true);
  expect(isTooLong('é'.repeat(121))).toBe(true);
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
  expect([nameOfTask('CON'), nameOfTask('nul.1'), nameOfTask('con-1')]).toEqual([
    '_CON',
    '_nul.1',
    'con-1',
  ]);
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
