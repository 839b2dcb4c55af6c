import { expect, test } from 'vitest';

import { UsageError } from '../../../../src/tools/cli/arguments.ts';
import { parseBatchArguments } from '../../../../src/tools/cli/batch/options.ts';

test.each([
  ['the results replace the table', ['rows.csv', '--results', './rows.csv']],
  ['the results replace the journal', ['rows.csv', '--results', 'rows.csv.polygate.jsonl']],
  ['the journal is the table', ['rows.csv', '--journal', 'rows.csv']],
  [
    'the results replace the list of files',
    ['rows.csv', '--results', 'rows.csv.polygate.jsonl.files'],
  ],
  ['the copy replaces the results', ['rows.csv', '--column', 'a', '--results', 'x/../rows.a.csv']],
  ['all of it with --force', ['rows.csv', '--force', '--journal', 'j', '--results', 'j']],
])('a batch in which %s is refused', (_, args) => {
  expect(() => parseBatchArguments(args)).toThrow(UsageError);
  expect(() => parseBatchArguments(args)).toThrow('must be different files');
});

test('different files are accepted', () => {
  const options = parseBatchArguments(['rows.csv', '--column', 'a', '--results', 'r.jsonl']);
  expect(options).toMatchObject({ journal: 'rows.csv.polygate.jsonl', results: 'r.jsonl' });
});
