import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { caught, onMock } from '../support.ts';
import { newProcess, runImageBatch, memoryJournal, numbers } from './support.ts';

describe('a damaged line of a journal', () => {
  const run = '{"v":1,"type":"run","run":"r"}';
  const damagedLines: [string, string, RegExp][] = [
    ['invalid JSON', '{"v":1,"type":"acc', /It is not JSON/],
    ['not an object', '["v",1]', /v: must be 1/],
    [
      'of an unknown version',
      '{"v":2,"type":"submit","id":"a"}',
      /v: must be 1, the only supported version/,
    ],
    [
      'of an unknown type',
      '{"v":1,"type":"constructor","id":"a"}',
      /type: must be one of run, submit, accepted/,
    ],
    ['without an id', '{"v":1,"type":"refused"}', /id: must be a non-empty string/],
    ['without a key', '{"v":1,"type":"submit","id":"a"}', /key: must be a non-empty string/],
    [
      'with a path of another endpoint',
      '{"v":1,"type":"submit","id":"a","key":"k","hash":"h","path":"/v1/images/../x"}',
      /path: must be a submit path/,
    ],
    [
      'with a receipt of an unknown version',
      '{"v":1,"type":"accepted","id":"a","receipt":{"v":2,"kind":"image","id":"t"}}',
      /receipt: v: must be 1/,
    ],
  ];
  test.each(damagedLines)(
    '(%s) is logged and left unchanged, and the batch continues',
    async (_, line, message) => {
      const world = onMock();
      const messages: string[] = [];
      const log = (text: string) => messages.push(text);
      const logger = { error: log, warn: log, info: log, debug: log };
      const journal = memoryJournal([run, line]);
      const { gateway } = newProcess(world, { logger, logLevel: 'warn' });
      const rows = await runImageBatch({ ...world, gateway }, numbers(3), { journal });
      expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
      expect(messages.join('\n')).toMatch(message);
      expect(messages.join('\n')).toMatch(/journal: line 2 is damaged and was ignored/);
      expect(journal.lines.slice(0, 2)).toEqual([run, line]);
    },
  );

  test('is harmless if it is an incomplete run line, because nothing had been sent yet', async () => {
    const world = onMock();
    const journal = memoryJournal(['{"v":1,"ty', '', '{"v":1,"type":"run","run":"ab']);
    const rows = await runImageBatch(world, numbers(3), { journal });
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
  });

  test('of an accepted row never causes a second charge, whichever line it is', async () => {
    for (const lost of [1, 2, 3]) {
      const world = onMock();
      const journal = memoryJournal();
      await runImageBatch(world, [1], { journal });
      journal.lines[lost] = journal.lines[lost]?.slice(0, 40) ?? '';
      const [row] = await runImageBatch(newProcess(world), [1], { journal });
      expect(row?.status).toBe('succeeded');
      expect(world.mock.invoice).toHaveLength(1);
    }
  });
});

test.each([
  ['is damaged', ['{"v":1,"type":"run","ru', '{"v":1,"type":"refused","id":"a"}']],
  ['has an unknown version', ['{"v":2,"type":"run","run":"r"}', '{"v":1,"type":"ref']],
  ['is missing', ['{"v":1,"type":"refused","id":"a"}']],
  ['is missing because the file is not a journal', ['# My shopping list']],
])(
  'a journal whose run line %s stops the batch before anything is sent or written',
  async (_, lines) => {
    const world = onMock();
    const journal = memoryJournal([...lines]);
    const error = await caught(runImageBatch(world, numbers(3), { journal }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(
      /^journal: its first line, .*, is missing or damaged. Nothing was/,
    );
    expect(error.message).toContain('Restore it from a backup');
    expect(journal.lines).toEqual(lines);
    expect(world.mock.requests).toEqual([]);
  },
);

test.each([
  ['carriage returns', '\r'],
  ['no line ends', ''],
])('a journal with %s in place of line feeds is damaged, not empty', async (_, lineEnd) => {
  const world = onMock();
  const journal = memoryJournal();
  await runImageBatch(world, numbers(100), { journal });
  const damaged = memoryJournal([journal.lines.join(lineEnd)]);
  const error = await caught(runImageBatch(newProcess(world), numbers(100), { journal: damaged }));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(world.mock.invoice).toHaveLength(100);
});

test('the error for a damaged run line has the first damaged line as its cause', async () => {
  const journal = memoryJournal(['{"v":1,"type":"refused","id":"a"}', '{"v":1,"type":"ref']);
  const error = await caught(runImageBatch(onMock(), numbers(1), { journal }));
  expect(error.cause).toMatchObject({
    message: 'journal: line 2 is damaged and was ignored. It is not JSON.',
  });
});
