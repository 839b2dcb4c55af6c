/** Two runs that begin at the same moment, and send one row with different params under one key. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Journal, RecoveredRow } from '../../../src/index.ts';
import { fileJournal } from '../../../src/integrations/journal/index.ts';
import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { describeImage, memoryJournal, newProcess, runImageBatch } from './support.ts';

const options = { id: () => 'row' };

/** Runs a batch of one row for each of the inputs at the same time: all have read the journal before one records its row. */
async function race(
  world: ReturnType<typeof onMock>,
  open: () => Journal,
  inputs: readonly string[],
) {
  let reading = inputs.length;
  let release = (): void => undefined;
  const allRead = new Promise<void>((resolve) => (release = resolve));
  const runs = inputs.map((input) => {
    const { gateway } = newProcess(world);
    const journal = open();
    const append = async (line: string) => {
      if (line.includes('"submit"')) {
        reading -= 1;
        if (reading === 0) release();
        await allRead;
      }
      return journal.append(line);
    };
    const described = describeImage(gateway);
    return collect(
      gateway.batch([input], described, { ...options, journal: { ...journal, append } }),
    );
  });
  const results = await world.mock.clock.settle(Promise.all(runs));
  return results.flat();
}

const promptOf = ({ mock }: ReturnType<typeof onMock>, { generation }: RecoveredRow) =>
  mock.tasks.find(({ id }) => id === generation?.id)?.prompt;

describe.each(['a journal without a lock', 'a journal in a file'])('%s', (kind) => {
  async function withJournal(work: (open: () => Journal) => Promise<void>) {
    if (kind === 'a journal without a lock') {
      const { lines } = memoryJournal();
      return work(() => memoryJournal(lines));
    }
    const folder = await mkdtemp(join(tmpdir(), 'polygate-contested-'));
    await work(() => fileJournal(join(folder, 'journal.jsonl')));
    await rm(folder, { recursive: true });
  }

  test('gives no run the result of the params of another one', () =>
    withJournal(async (open) => {
      const world = onMock();
      const rows = await race(world, open, ['A', 'B']);
      world.mock.assertPaidOnce();
      // That of the request which the service has received first.
      const paid = rows.findIndex(({ status }) => status === 'succeeded');
      const [first, second] = [rows[paid], rows[1 - paid]];
      expect(first && promptOf(world, first)).toBe(`Harbor ${['A', 'B'][paid]}`);
      expect(second).toMatchObject({
        status: 'unknown',
        error: {
          name: 'ConfigurationError',
          outcome: 'unknown',
          idempotencyKey: first?.idempotencyKey,
          message: expect.stringContaining('with other params'),
        },
      });

      // Neither of them can be told from the other by what is recorded, so later runs send nothing.
      for (const input of ['A', 'B', 'C']) {
        const later = await runImageBatch(newProcess(world), [input], {
          ...options,
          journal: open(),
        });
        expect(later).toMatchObject([{ status: 'unknown', error: { outcome: 'unknown' } }]);
      }
      expect(world.mock.invoice).toHaveLength(1);

      // If no run has taken the result, what was paid is found without its params.
      const lines = await collect(open().read());
      const left = memoryJournal(lines.filter((line) => !line.includes('finished')));
      const { mock, gateway } = newProcess(world);
      const found = await mock.clock.settle(collect(gateway.recover(left)));
      expect(found).toMatchObject([
        { status: 'succeeded', generation: { id: first?.generation?.id } },
      ]);
    }));

  test('gives two runs with the same params the same result', () =>
    withJournal(async (open) => {
      const world = onMock();
      const [first, second] = await race(world, open, ['A', 'A']);
      expect(world.mock.invoice).toHaveLength(1);
      expect(first).toMatchObject({ status: 'succeeded' });
      expect(second?.generation?.id).toBe(first?.generation?.id);
    }));
});
