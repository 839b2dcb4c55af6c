import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { memoryJournal, newProcess } from './support.ts';

/** The journal of version 0.2: one row in each state, and a torn last line. */
const recorded = readFileSync(new URL('fixtures/journal-0.2.jsonl', import.meta.url), 'utf8');
const ids = ['finished', 'lost', 'lost-stored', 'rejected', 'paused', 'accepted'];

/** The recorded key of each row. */
const keys = new Map<string, string>(
  recorded
    .split('\n')
    .filter((line) => line.includes('"type":"submit"'))
    .map((line): [string, string] => {
      const { id, key }: Record<string, unknown> = JSON.parse(line);
      return [String(id), String(key)];
    }),
);
const sorted = (texts: readonly unknown[]) =>
  texts.map(String).toSorted((a, b) => (a < b ? -1 : 1));
const keysOf = (...names: string[]) => sorted(names.map((name) => keys.get(name)));

/** A gateway that has the tasks of the journal, and the journal. */
async function earlierRun() {
  const world = onMock();
  let text = recorded;
  for (const id of ['finished', 'accepted']) {
    const task = await world.gateway.images.submit(
      { model: 'prism-image', prompt: `Harbor ${id}` },
      { idempotencyKey: keys.get(id) },
    );
    const start = `{"v":1,"type":"accepted","id":"${id}"`;
    const line = text.split('\n').find((one) => one.startsWith(start));
    text = text.replace(JSON.parse(line ?? '{}').receipt.id, task.id);
  }
  return { ...newProcess(world), journal: memoryJournal(text.split('\n')) };
}

describe('a journal of version 0.2', () => {
  test('is continued by a batch: each row under its recorded key, or with its task', async () => {
    const { mock, gateway, journal } = await earlierRun();
    const batch = gateway.batch(
      ids,
      (id) => gateway.images.submission({ model: 'prism-image', prompt: `Harbor ${id}` }),
      { id: (id) => id, journal },
    );
    const rows = await mock.clock.settle(collect(batch));
    expect(sorted(rows.map(({ id, status }) => `${id} ${status}`))).toEqual(
      sorted(ids.map((id) => `${id} succeeded`)),
    );
    expect(sorted(mock.invoice.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      keysOf(...ids),
    );
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(2 + 4);
  });

  test('is continued by a recovery', async () => {
    const { mock, gateway, journal } = await earlierRun();
    const rows = await mock.clock.settle(collect(gateway.recover(journal)));
    expect(sorted(rows.map(({ id, status }) => `${id} ${status}`))).toEqual([
      ' unknown',
      'accepted succeeded',
      'lost unknown',
      'lost-stored succeeded',
      'paused succeeded',
    ]);
    expect(sorted(mock.invoice.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      keysOf('finished', 'accepted', 'lost-stored', 'paused'),
    );
  });
});
