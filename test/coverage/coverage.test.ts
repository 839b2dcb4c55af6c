import { expect, test } from 'vitest';

import { claims } from './claims.ts';
import { requirements } from './requirements.ts';
import { problems, table } from './table.ts';
import { titlesOf } from './titles.ts';

test('every row of the specification has a claim that names an existing test', () => {
  expect(problems()).toEqual([]);
});

test('every row is claimed once', () => {
  const rows = claims.map(({ section, row }) => `${section}, ${row}`);
  expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  expect(rows).toHaveLength([...requirements.values()].flat().length);
});

test('the table has one line for each row of the specification', () => {
  const lines = table().match(/^\| `.*\|$/gm) ?? [];
  expect(lines).toHaveLength(claims.length);
});

test('titles include those of their groups, and skipped tests are left out', () => {
  const titles = titlesOf(new URL(import.meta.url)) ?? [];
  expect(titles.map(({ title }) => title)).toContain('every row is claimed once');
  expect(titlesOf(new URL('no-such.test.ts', import.meta.url))).toBeUndefined();
  const account = titlesOf(new URL('../resources/account.test.ts', import.meta.url)) ?? [];
  expect(account.find(({ title }) => title === 'account.retrieve() > returns %s')?.table).toContain(
    'records.Account',
  );
});
