import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { lockedJournal, newProcess } from './support.ts';

const ids = ['finished', 'lost', 'lost-stored', 'rejected', 'paused', 'accepted'];

const sorted = (texts: readonly unknown[]) =>
  texts.map(String).toSorted((a, b) => (a < b ? -1 : 1));

/** Journals with one row in each state, and a torn last line. */
describe.each(['0.2', '0.3'])('a journal of version %s', (version) => {
  const recorded = readFileSync(
    new URL(`fixtures/journal-${version}.jsonl`, import.meta.url),
    'utf8',
  );
  /** The recorded key of each row of a task. */
  const keys = new Map<string, string>(
    recorded
      .split('\n')
      .filter((line) => line.includes('"type":"submit"'))
      .map((line): [string, string] => {
        const { id, key }: Record<string, unknown> = JSON.parse(line);
        return [String(id), String(key)];
      }),
  );
  const keysOf = (...names: string[]) => sorted(names.map((name) => keys.get(name)));
  const hasChats = recorded.includes('/v1/chat/completions');

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
    return { ...newProcess(world), journal: lockedJournal(text.split('\n')) };
  }

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

  test.runIf(hasChats)('sends none of its chats again', async () => {
    const { mock, gateway, journal } = await earlierRun();
    const { length } = mock.requests;
    const options = { id: (id: string) => id, journal };
    const describeRow = (id: string) => {
      const content = `Harbor ${id}`;
      const messages = [{ role: 'user' as const, content }];
      return gateway.chat.completions.submission({ model: 'aurora-chat', messages });
    };
    const batch = gateway.batch(['completed', 'lost-chat'], describeRow, options);
    const rows = await mock.clock.settle(collect(batch));
    expect(sorted(rows.map(({ id, status }) => `${id} ${status}`))).toEqual([
      'completed succeeded',
      'lost-chat unknown',
    ]);
    expect(mock.requests).toHaveLength(length);
  });

  test('is continued by a recovery', async () => {
    const { mock, gateway, journal } = await earlierRun();
    const rows = await mock.clock.settle(collect(gateway.recover(journal)));
    expect(sorted(rows.map(({ id, status }) => `${id} ${status}`))).toEqual([
      ' unknown',
      'accepted succeeded',
      'lost unknown',
      ...(hasChats ? ['lost-chat unknown'] : []),
      'lost-stored succeeded',
      'paused succeeded',
    ]);
    expect(sorted(mock.invoice.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      keysOf('finished', 'accepted', 'lost-stored', 'paused'),
    );
  });
});
