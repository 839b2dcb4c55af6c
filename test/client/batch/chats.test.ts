import { describe, expect, test, vi } from 'vitest';

import { AbortedError, BadRequestError, ConnectionError } from '../../../src/index.ts';
import type { Journal } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { caught, onMock, turns } from '../support.ts';
import {
  chatRequests,
  describeChat,
  describeImage,
  lineTypes,
  lockedJournal,
  newProcess,
  numbers,
  paused,
  runChatBatch,
} from './support.ts';

const chats = 'POST /v1/chat/completions';
const statusesOf = (rows: readonly { status: string }[]) => rows.map(({ status }) => status);

/** A journal of a run in which one row succeeded and the response of another one was lost. */
async function interrupted(options: Partial<Journal> = {}) {
  const world = onMock({}, { concurrency: 1 });
  const journal = lockedJournal([], options);
  await runChatBatch(world, ['done'], { journal, id: String });
  const lose = world.mock.fail({ route: chats, reset: 'after' });
  const rows = await runChatBatch(newProcess(world), ['lost'], { journal, id: String });
  expect(statusesOf(rows)).toEqual(['unknown']);
  lose.remove();
  return { world, journal, sent: chatRequests(world.mock).length };
}

describe('a batch of chats', () => {
  test('yields a completion per row, without 429s and within the limit', async () => {
    const world = onMock({ concurrencyLimit: 8, latencyMs: 50 });
    const rows = await runChatBatch(world, numbers(100));
    expect(statusesOf(rows)).toEqual(Array(100).fill('succeeded'));
    const [row] = rows;
    expect(row?.completion?.choices[0]?.message.content).toEqual(expect.any(String));
    expect(row).toMatchObject({ input: expect.any(Number), task: undefined });
    expect(chatRequests(world.mock).map(({ status }) => status)).toEqual(Array(100).fill(200));
  });

  test('yields finished rows from the journal, and sends nothing for them', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const first = await runChatBatch(world, numbers(20), { journal });
    const again = await runChatBatch(newProcess(world), numbers(20), { journal });
    const contents = (rows: typeof first) =>
      new Map(rows.map(({ id, completion }) => [id, completion?.choices[0]?.message.content]));
    expect(contents(again)).toEqual(contents(first));
    expect(chatRequests(world.mock)).toHaveLength(20);
  });

  test('that pauses does not take its own tasks for those of an earlier run', async () => {
    const world = onMock();
    const { gateway, mock } = world;
    const fault = mock.fail({ route: chats, status: 402 });
    // The journal is locked, and read again, before the first chat. By then it contains a task of this run.
    const describeRow = async (row: number) => {
      if (row === 0) return describeImage(gateway)(row);
      await mock.clock.sleep(60_000);
      return describeChat(gateway)(row);
    };
    const journal = lockedJournal();
    const { rows, error } = await paused(
      world,
      gateway.batch(numbers(3), describeRow, { journal }),
    );
    fault.remove();
    expect(statusesOf(rows)).toEqual(['succeeded']);
    expect(error).toMatchObject({ outcome: 'rejected', rowsDone: 1, rowsOpen: 2 });
    expect(error.message).not.toContain('earlier run');
  });

  test('yields them in any order of the inputs', async () => {
    const world = onMock();
    const journal = lockedJournal();
    await runChatBatch(world, numbers(30), { journal, id: String });
    const reversed = await runChatBatch(newProcess(world), numbers(30).toReversed(), {
      journal,
      id: String,
    });
    expect(statusesOf(reversed)).toEqual(Array(30).fill('succeeded'));
    expect(chatRequests(world.mock)).toHaveLength(30);
  });

  test('records the intent before it sends, and the completion before it yields', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const seen: unknown[][] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      seen.push(lineTypes(journal));
      return world.mock.fetch(input, init);
    };
    const { mock, gateway } = newProcess(world, { fetch });
    const batch = gateway.batch(['a'], describeChat(gateway), { journal, storeParams: false });
    await mock.clock.settle(batch.next());
    expect(seen).toEqual([['run', 'submit']]);
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'completed']);
    expect(journal.lines.join('\n')).not.toContain('"messages"');
    await mock.clock.settle(batch.next());
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'completed', 'finished']);
  });

  test('sends rows again that were rejected, even with other params', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const reject = world.mock.fail({ route: chats, status: 400 });
    const [row] = await runChatBatch(world, ['a'], { journal });
    expect(row).toMatchObject({ status: 'failed', error: expect.any(BadRequestError) });
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'refused']);
    reject.remove();
    const again = await runChatBatch(newProcess(world), ['b'], { journal });
    expect(statusesOf(again)).toEqual(['succeeded']);
  });

  test('pauses at a 402, and continues after a top-up', async () => {
    const world = onMock({}, { concurrency: 2 });
    const journal = lockedJournal();
    const empty = world.mock.fail({ route: chats, status: 402, attempt: numbers(50).slice(4) });
    const batch = world.gateway.batch(numbers(20), describeChat(world.gateway), { journal });
    const { rows, error } = await paused(world, batch);
    expect(statusesOf(rows)).toEqual(Array(3).fill('succeeded'));
    expect(error).toMatchObject({ rowsDone: 3, rowsOpen: 17 });
    empty.remove();
    const all = await runChatBatch(newProcess(world), numbers(20), { journal });
    expect(statusesOf(all)).toEqual(Array(20).fill('succeeded'));
    expect(world.mock.invoice).toHaveLength(20);
  });
});

describe('a chat whose response was lost', () => {
  test('is unknown, and later runs do not send it again', async () => {
    const { world, journal, sent } = await interrupted();
    const rows = await runChatBatch(newProcess(world), ['done', 'lost'], { journal, id: String });
    const lost = rows.find(({ id }) => id === 'lost');
    expect(statusesOf(rows).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['succeeded', 'unknown']);
    expect(lost?.error).toBeInstanceOf(ConnectionError);
    expect(lost?.error).toMatchObject({ outcome: 'unknown' });
    expect(lost?.error?.message).toContain('was not sent again. With resendUnknown');
    expect(chatRequests(world.mock)).toHaveLength(sent);
  });

  test('is sent again with resendUnknown, which is logged with the number of rows', async () => {
    const { world, journal, sent } = await interrupted();
    const warn = vi.fn<(message: string) => void>();
    const ignore = () => undefined;
    const logger = { error: ignore, warn, info: ignore, debug: ignore };
    const options = { journal, id: String, resendUnknown: true };
    const again = newProcess(world, { logger, logLevel: 'warn' });
    const rows = await runChatBatch(again, ['done', 'lost'], options);
    expect(statusesOf(rows)).toEqual(['succeeded', 'succeeded']);
    expect(chatRequests(world.mock)).toHaveLength(sent + 1);
    expect(warn.mock.calls[0]?.[0]).toContain(
      'resendUnknown: 1 chats in the journal may have been',
    );
    await runChatBatch(newProcess(world), ['done', 'lost'], options);
    expect(chatRequests(world.mock)).toHaveLength(sent + 1);
  });

  test('stays unknown if it is rejected when it is sent again', async () => {
    const { world, journal, sent } = await interrupted();
    const reject = world.mock.fail({ route: chats, status: 400 });
    const options = { journal, id: String, resendUnknown: true };
    const [row] = await runChatBatch(newProcess(world), ['lost'], options);
    expect(row).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
    expect(row?.error?.message).toContain('you may pay for it a second time');
    expect(row?.error?.message).not.toContain('Nothing was charged');
    reject.remove();
    const [later] = await runChatBatch(newProcess(world), ['lost'], { journal, id: String });
    expect(later?.status).toBe('unknown');
    expect(chatRequests(world.mock)).toHaveLength(sent + 1);
  });

  test('may be paid for a second time, as its error says, if its callback receives an error', async () => {
    const { world, journal } = await interrupted();
    const { mock, gateway } = newProcess(world);
    const describeRow = async (row: string) => {
      await gateway.models.retrieve('none');
      return describeChat(gateway)(row);
    };
    const batch = gateway.batch(['lost'], describeRow, { journal, id: String });
    const [row] = await mock.clock.settle(collect(batch));
    expect(row).toMatchObject({ status: 'unknown', error: { status: 404, outcome: 'unknown' } });
    expect(row?.error?.message).toContain('you may pay for it a second time');
  });

  test('with other params is an error, even if it has finished', async () => {
    const { world, journal, sent } = await interrupted();
    const { mock, gateway } = newProcess(world);
    const batch = gateway.batch(
      ['done', 'lost'],
      (row) => describeChat(gateway)(`${row}, but differently`),
      { journal, id: String, resendUnknown: true },
    );
    const rows = await mock.clock.settle(collect(batch));
    expect(statusesOf(rows)).toEqual(['unknown', 'unknown']);
    for (const { error } of rows) expect(error?.message).toContain('its params differ');
    expect(chatRequests(mock)).toHaveLength(sent);
  });

  test('is yielded by a recovery, which sends nothing', async () => {
    const { world, journal, sent } = await interrupted({ storeParams: true });
    journal.lines.splice(
      journal.lines.findIndex((line) => line.includes('"finished"')),
      1,
    );
    const { mock, gateway } = newProcess(world);
    const rows = await mock.clock.settle(collect(gateway.recover(journal)));
    expect(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      { id: 'done', status: 'succeeded', completion: { object: 'chat.completion' } },
      { id: 'lost', status: 'unknown', error: { outcome: 'unknown' } },
    ]);
    expect(chatRequests(mock)).toHaveLength(sent);
    const taken = await mock.clock.settle(collect(gateway.recover(journal)));
    expect(taken.map(({ id }) => id)).toEqual(['lost']);
    const options = { resendUnknown: true };
    const resent = await mock.clock.settle(collect(gateway.recover(journal, options)));
    expect(resent).toMatchObject([{ id: 'lost', status: 'succeeded' }]);
    expect(chatRequests(mock)).toHaveLength(sent + 1);
  });
});

describe('a batch of chats that is aborted', () => {
  test('sends the rows that had no slot yet in the next run, and no others', async () => {
    const world = onMock({ concurrencyLimit: 4, latencyMs: 100 }, { concurrency: 4 });
    const journal = lockedJournal();
    const stop = new AbortController();
    const batch = runChatBatch(world, numbers(40), { journal, signal: stop.signal });
    await turns(60);
    await world.mock.clock.advance(150);
    stop.abort();
    expect(await caught(batch)).toBeInstanceOf(AbortedError);
    const sent = chatRequests(world.mock).length;
    expect(sent).toBeGreaterThan(4);
    const rows = await runChatBatch(newProcess(world), numbers(40), { journal });
    const unknown = rows.filter(({ status }) => status === 'unknown');
    expect(unknown.length).toBeLessThanOrEqual(4);
    expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(40 - unknown.length);
    const prompts = chatRequests(world.mock).map(({ body }) => JSON.stringify(body));
    expect(new Set(prompts).size).toBe(40);
    expect(prompts).toHaveLength(40);
  });
});
