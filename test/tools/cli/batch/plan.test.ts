import { expect, test } from 'vitest';

import { readJournal } from '../../../../src/client/batch/journal-contents.ts';
import { defaultModels, toModelRecord } from '../../../../src/mock/models.ts';
import { countRows, exitCodeOfRows } from '../../../../src/tools/cli/batch/batch-run.ts';
import {
  coveredRows,
  estimateCosts,
  estimateText,
  fitsLimit,
  questionText,
} from '../../../../src/tools/cli/batch/estimate.ts';
import type { PayableRow } from '../../../../src/tools/cli/batch/estimate.ts';
import { checkNames } from '../../../../src/tools/cli/batch/output-names.ts';
import { planRows } from '../../../../src/tools/cli/batch/plan.ts';
import { parseTable } from '../../../../src/tools/cli/batch/table.ts';
import type { Problem } from '../../../../src/tools/cli/batch/table.ts';
import { costOf, currentId, journalIdsOf, sumCosts } from '../../../../src/tools/cli/batch/work.ts';

const models = defaultModels.map(toModelRecord);

/** Plans a table, and returns the rows and the problems as text. */
const plan = (
  text: string,
  options: Partial<Parameters<typeof planRows>[1]> = {},
  template = 'out/{id}.{ext}',
) => {
  const problems: Problem[] = [];
  const format = text.startsWith('{') ? 'jsonl' : 'csv';
  const table = parseTable(text, format, problems);
  const defaults = { models, kind: undefined, model: undefined, params: {} };
  const rows = planRows(table, { ...defaults, ...options }, problems);
  checkNames(rows, template, problems);
  return { rows, problems: problems.map(({ line, message }) => `${line}: ${message}`) };
};

test('cells get the types of their params, and rows the model and params of all', () => {
  const { rows, problems } = plan('id,prompt,n,model\na,A,2,\nb,B,,prism-sketch\n', {
    model: 'prism-image',
    params: { resolution: '1K', n: 1 },
  });
  expect(problems).toEqual([]);
  expect(rows).toMatchObject([
    { line: 2, id: 'a', kind: 'image', model: 'prism-image', params: { resolution: '1K', n: 2 } },
    { line: 3, id: 'b', kind: 'image', model: 'prism-sketch', params: { resolution: '1K', n: 1 } },
  ]);
});

test('without a column id, rows are numbered from 1', () => {
  const { rows } = plan('prompt\nA\nB\n', { model: 'prism-image' });
  expect(rows.map(({ id }) => id)).toEqual(['1', '2']);
});

test.each([
  ['echo-speech', 'text', 'speech'],
  ['anthem-music', 'prompt', 'music'],
  ['tide-video', 'prompt', 'video'],
  ['aurora-chat', 'prompt', 'chat'],
])('the kind of %s is recognized', (model, column, kind) => {
  const { rows, problems } = plan(`id,${column}\na,A\n`, { model });
  expect([rows[0]?.kind, rows[0]?.prompt, problems]).toEqual([kind, 'A', []]);
});

test('every problem of every row is reported with its line', () => {
  const { problems } = plan(
    'id,prompt,n,resolutoin\na,A,two,1\na,,1,1\n,B,,1\n../b,C,,1\n"c (retry 2)",D,,1\n',
    { model: 'prism-image' },
  );
  expect(problems).toEqual([
    "1: unknown column 'resolutoin'; did you mean resolution?",
    "2: n must be an integer, not 'two'",
    "3: id 'a' is that of line 2",
    '3: has no prompt',
    '4: has no id',
    '6: id \'c (retry 2)\' must not end in "(retry …)"',
    expect.stringMatching(/^5: id '\.\.\/b' leads to .*, outside .*out$/),
  ]);
});

test.each([
  ['id\na\n', 'prism-image', '1: there is no column prompt'],
  ['id,prompt,text\na,A,B\n', 'prism-image', '1: has prompt and text; keep one'],
  ['id,prompt\na,A\n', undefined, '2: has no model; -m sets that of all rows'],
  [
    'id,prompt\na,A\n',
    'prism-imgae',
    /^2: unknown model 'prism-imgae'; did you mean prism-image\?/,
  ],
  ['id,prompt,model\na,A,aurora-chat\n', 'prism-image', undefined],
  [
    'id,prompt,model\na,A,prism-image\nb,B,tide-video\n',
    undefined,
    '3: model tide-video is for video, but that of the first row for image; use one file for each',
  ],
])('%j with model %s: %s', (text, model, problem) => {
  const { problems } = plan(text, { model });
  if (problem === undefined) expect(problems).toEqual([]);
  else expect(problems).toContainEqual(expect.stringMatching(problem));
});

test('--kind allows models that are not listed', () => {
  const { rows, problems } = plan('id,prompt\na,A\n', { model: 'secret-model', kind: 'image' });
  expect([rows[0]?.kind, problems]).toEqual(['image', []]);
});

test.each([
  ['id,prompt\na,A\nA,B\n', 'out/{id}.{ext}', /^3: its file .*A\.\{ext\} is that of line 2$/],
  ['id,prompt\na,A\nb,B\n', 'out/all.png', /^3: its file out\/all\.png is that of line 2$/],
  ['id,prompt,n\na,A,2\na-2,B,\n', '{id}.{ext}', /^3: its file a-2\.\{ext\} is that of/],
  ['id,prompt\n/etc/x,A\n', '{id}.{ext}', /^2: id '\/etc\/x' leads to \/etc\/x\.\{ext\}, outside/],
  ['id,prompt\na\\b,A\n', '{id}.{ext}', /^2: id 'a\\b' is no name for a file$/],
  ['id,prompt\n{ext}/a,A\n', '{id}.{ext}', /^2: id '\{ext\}\/a' is no name for a file$/],
])('in %j, the files of %s are checked', (text, template, problem) => {
  const { problems } = plan(text, { model: 'prism-image' }, template);
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

test('moving a column, or setting it with --param, does not change the request of a row', () => {
  const requests = [
    plan('id,prompt,n,resolution\na,A,2,1K\n', { model: 'prism-image' }),
    plan('resolution,n,prompt,id\n1K,2,A,a\n', { model: 'prism-image' }),
    plan('id,prompt,n\na,A,2\n', { model: 'prism-image', params: { resolution: '1K' } }),
  ].map(({ rows }) => JSON.stringify(rows[0]?.params));
  expect(new Set(requests)).toEqual(new Set(['{"n":2,"resolution":"1K"}']));
});

test('an id with a slash names a file in a folder below', () => {
  expect(plan('id,prompt\na/b,A\n', { model: 'prism-image' }).problems).toEqual([]);
});

/** The journal of a batch with some lines, and what it says. */
const journalOf = (...lines: object[]) =>
  readJournal({
    async *read() {
      for (const line of [{ type: 'run', run: 'r' }, ...lines]) {
        yield JSON.stringify({ v: 1, ...line });
      }
      yield '{"torn';
    },
  });

const submitted = (id: string, usd = 0.02) => ({
  type: 'submit',
  id,
  key: `key-${id.length}`,
  hash: 'h',
  path: '/v1/images/tasks',
  estimatedUsd: usd,
});
const accepted = (id: string, usd = 0.02) => ({
  type: 'accepted',
  id,
  receipt: {
    v: 1,
    kind: 'image',
    id: `task-${id.length}`,
    idempotencyKey: `key-${id.length}`,
    chargeUsd: usd,
  },
  usd,
});
const chat = (id: string) => ({
  type: 'submit',
  id,
  hash: 'h',
  path: '/v1/chat/completions',
});

test('the estimate counts what is open, and a limit includes all that was or may have been charged before', async () => {
  const { rows } = plan('id,prompt,n\na,A,2\nb,B,\nc,C,\nd,D,\n', { model: 'prism-image' });
  const journal = (
    await journalOf(
      submitted('b'),
      accepted('b'),
      submitted('c'),
      submitted('d'),
      // These rows are no longer in the table.
      submitted('x', 1),
      accepted('x', 1),
      submitted('y', 2),
      chat('z'),
    )
  ).rows;
  const work = rows.map((row) => ({
    ...row,
    journalId: row.id,
    hash: '',
    saved: undefined,
    isDone: row.id === 'b',
    recorded: journal.get(row.id),
  }));
  const given = { work, journal, models, resendUnknown: false };
  const estimate = estimateCosts(given);
  const before = { usd: 1.02, uncertain: 2, uncertainUsd: 2 };
  // The rows c and d are sent again under their keys, so they are charged once.
  const [image, two] = [0.02, 0.04].map((usd) => ({ kind: 'image', usd }));
  // They come first.
  const payable = [image, image, two];
  expect(estimate).toEqual({ before, payable, openUsd: 0.08, unpriced: 0 });
  expect([fitsLimit(estimate, 3.1), fitsLimit(estimate, 3.09)]).toEqual([true, false]);
  const covered = [3.1, 3.09, 3.06, 3.05, 3, 1].map((limit) => coveredRows(estimate, limit).length);
  expect(covered).toEqual([3, 2, 2, 1, 0, 0]);
  expect(estimateText(estimate)).toBe(
    '$0.08 besides what was charged before: at least $1.02; 2 rows may have been charged more (estimate: $2.00)',
  );
  expect(estimateCosts({ ...given, models: [] })).toMatchObject({ openUsd: 0, unpriced: 3 });
});

const images = (count: number, usd?: number): PayableRow[] =>
  Array.from({ length: count }, () => ({ kind: 'image', usd }));
const speech: PayableRow = { kind: 'speech', usd: 1.5 };

test.each<[PayableRow[], covered: number, text: string]>([
  [images(60, 0.022), 60, 'Send 60 images for about $1.32?'],
  [images(60, 0.022), 5, 'Send 5 of 60 images for about $0.11?'],
  [[speech], 1, 'Send 1 text for about $1.50?'],
  [[speech, ...images(2, 0.02)], 3, 'Send 3 rows for about $1.54?'],
  [[speech, { kind: 'speech', usd: undefined }], 2, 'Send 2 texts for at least $1.50?'],
])('the question before a batch names what is sent and its cost', (payable, covered, text) => {
  expect(questionText(payable.slice(0, covered), payable)).toBe(text);
});

test('a chat whose response was lost is sent again, and counted, only on request', async () => {
  const { rows } = plan('id,prompt\na,A\n', { model: 'aurora-chat' });
  const { rows: journal } = await journalOf(chat('a'));
  const work = rows.map((row) => ({
    ...row,
    journalId: 'a',
    hash: '',
    saved: undefined,
    isDone: false,
    recorded: journal.get('a'),
  }));
  const given = { work, journal, models };
  const before = { usd: 0, uncertain: 1, uncertainUsd: 0 };
  expect(estimateCosts({ ...given, resendUnknown: false })).toMatchObject({ unpriced: 0, before });
  expect(estimateCosts({ ...given, resendUnknown: true })).toMatchObject({ unpriced: 1, before });
});

test.each([
  ['a charge that was reported', [submitted('a'), accepted('a')], 0.02, 0],
  [
    'a charge that was not',
    [{ ...accepted('a'), usd: undefined, receipt: { v: 1, kind: 'image', id: 't' } }],
    0,
    1,
  ],
  ['a request without a response', [submitted('a')], 0, 1],
  ['a rejected request', [submitted('a'), { type: 'refused', id: 'a' }], 0, 0],
  ['a chat without a completion', [chat('a')], 0, 1],
])('%s: what is known of the costs is not called all of them', async (_, lines, usd, uncertain) => {
  expect(sumCosts((await journalOf(...lines)).rows.values())).toMatchObject({ usd, uncertain });
});

test('a row whose task failed continues under another id only if it is to be paid for again', async () => {
  const failed = { type: 'finished', id: 'a', status: 'failed' };
  const { rows: first } = await journalOf(accepted('a'), failed);
  expect([currentId('a', first, false), currentId('a', first, true)]).toEqual(['a', 'a (retry 2)']);
  const { rows: second } = await journalOf(accepted('a'), failed, accepted('a (retry 2)', 0.03));
  // The second task has not failed.
  expect([currentId('a', second, false), currentId('a', second, true)]).toEqual([
    'a (retry 2)',
    'a (retry 2)',
  ]);
  expect(journalIdsOf('a', second)).toEqual(['a', 'a (retry 2)']);
  expect(costOf('a', second)).toBe(0.05);
});

test('a row that was rejected keeps its id, because it was not charged', async () => {
  const { rows } = await journalOf(submitted('a'), { type: 'refused', id: 'a' });
  expect(currentId('a', rows, true)).toBe('a');
});

test('a file without the first line of a journal is not read as one', async () => {
  const notes = {
    read: async function* () {
      yield 'my notes';
    },
  };
  await expect(readJournal(notes)).rejects.toThrow('its first line');
  const empty = { read: async function* () {} };
  expect(await readJournal(empty)).toEqual({ run: undefined, rows: new Map(), isDamaged: false });
});

test.each([
  [['succeeded', 'succeeded'], false, 0],
  [['succeeded', 'failed'], false, 1],
  [['succeeded', 'open'], false, 1],
  [['failed', 'unknown'], false, 3],
  [['succeeded', 'open'], true, 3],
] as const)('rows that are %j (unsaved: %s) exit with %d', (statuses, isUnsaved, code) => {
  const counts = countRows(statuses.map((status) => ({ status })));
  expect(exitCodeOfRows(counts, isUnsaved)).toBe(code);
});
