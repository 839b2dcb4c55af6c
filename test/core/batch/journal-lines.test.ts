import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { another, draw, memoryJournal, numbers } from './support.ts';
import { caught, onMock } from '../support.ts';

describe('lines that cannot be read', () => {
  const run = '{"v":1,"type":"run","run":"r"}';
  const damaged: [string, string, RegExp][] = [
    ['no JSON', '{"v":1,"type":"acc', /It is not JSON/],
    ['no object', '["v",1]', /v: must be 1/],
    [
      'of another version',
      '{"v":2,"type":"submit","id":"a"}',
      /v: must be 1, the only known version/,
    ],
    ['of another kind', '{"v":1,"type":"constructor","id":"a"}', /type: must be a known line type/],
    ['without an id', '{"v":1,"type":"refused"}', /id: must be a non-empty string/],
    ['without a key', '{"v":1,"type":"submit","id":"a"}', /key: must be a non-empty string/],
    [
      'of a wrong path',
      '{"v":1,"type":"submit","id":"a","key":"k","hash":"h","path":"/v1/images/../x"}',
      /path: must be the path of a submit endpoint/,
    ],
    [
      'with a receipt of another version',
      '{"v":1,"type":"accepted","id":"a","receipt":{"v":2,"kind":"image","id":"t"}}',
      /receipt: v: must be 1/,
    ],
  ];
  test.each(damaged)('being %s, are named and left; the rest goes on', async (_, line, message) => {
    const world = onMock();
    const said: string[] = [];
    const log = (text: string) => said.push(text);
    const logger = { error: log, warn: log, info: log, debug: log };
    const journal = memoryJournal([run, line]);
    const { gateway } = another(world, { logger, logLevel: 'warn' });
    const rows = await draw({ ...world, gateway }, numbers(3), { journal });
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(said.join('\n')).toMatch(message);
    expect(said.join('\n')).toMatch(/journal: line 2 is damaged and was ignored/);
    expect(journal.lines.slice(0, 2)).toEqual([run, line]);
  });

  test.each([
    ['the run is damaged', ['{"v":1,"type":"run","ru', '{"v":1,"type":"refused","id":"a"}']],
    ['the run is of another version', ['{"v":2,"type":"run","run":"r"}', '{"v":1,"type":"ref']],
    ['the run is missing', ['{"v":1,"type":"refused","id":"a"}']],
    ['the file is no journal', ['# My shopping list']],
  ])('refuse a batch before anything is sent or written when %s', async (_, lines) => {
    const world = onMock();
    const journal = memoryJournal([...lines]);
    const error = await caught(draw(world, numbers(3), { journal }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/^journal: its run line cannot be read\. Nothing was sent\./);
    expect(journal.lines).toEqual(lines);
    expect(world.mock.requests).toEqual([]);
  });

  test('do no harm where they are torn beginnings of a run: nothing was sent then', async () => {
    const world = onMock();
    const journal = memoryJournal(['{"v":1,"ty', '', '{"v":1,"type":"run","run":"ab']);
    const rows = await draw(world, numbers(3), { journal });
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
  });

  test('of a row that was accepted cost nothing, whichever of its lines they are', async () => {
    for (const lost of [1, 2, 3]) {
      const world = onMock();
      const journal = memoryJournal();
      await draw(world, [1], { journal });
      journal.lines[lost] = journal.lines[lost]?.slice(0, 40) ?? '';
      const [row] = await draw(another(world), [1], { journal });
      expect(row?.status).toBe('succeeded');
      expect(world.mock.invoice).toHaveLength(1);
    }
  });
});
