import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';

import {
  AbortedError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  StructuredOutputError,
} from '../../../src/index.ts';
import type { Journal } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { caught, onMock, turns } from '../support.ts';
import {
  chatRequests,
  describeChat,
  lineTypes,
  lockedJournal,
  memoryJournal,
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

  test('sends rows again that were rejected, also with other params', async () => {
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

  test('with other params is an error, also if it has finished', async () => {
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

describe('the journal of chats', () => {
  test('must have lock()', async () => {
    const world = onMock();
    const error = await caught(runChatBatch(world, numbers(3), { journal: memoryJournal() }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('journal: has no lock()');
    expect(world.mock.requests).toEqual([]);
  });

  test('is refused while another batch uses it, and free after that', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const { gateway, mock } = world;
    const batch = gateway.batch(numbers(3), describeChat(gateway), { journal });
    await mock.clock.settle(batch.next());
    const error = await caught(runChatBatch(newProcess(world), numbers(3), { journal }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('in use by process 7');
    await batch.return();
    const rows = await runChatBatch(newProcess(world), numbers(3), { journal });
    expect(rows.length).toBe(3);
  });

  test('is needed for a crash only: without one, chats are sent', async () => {
    const rows = await runChatBatch(onMock(), numbers(3));
    expect(statusesOf(rows)).toEqual(Array(3).fill('succeeded'));
  });

  test('refuses rows without a readable line if another line than the last is damaged', async () => {
    const world = onMock();
    const journal = lockedJournal();
    await runChatBatch(world, ['a', 'b'], { journal, id: String });
    const damaged = journal.lines.findIndex((line) => line.includes('"submit"'));
    journal.lines[damaged] = journal.lines[damaged]?.slice(0, 60) ?? '';
    const options = { journal, id: String };
    const rows = await runChatBatch(newProcess(world), ['a', 'b', 'new'], options);
    const fresh = rows.find(({ id }) => id === 'new');
    expect(fresh).toMatchObject({ status: 'unknown', error: expect.any(ConfigurationError) });
    expect(chatRequests(world.mock)).toHaveLength(2);
    const resent = await runChatBatch(newProcess(world), ['new'], {
      ...options,
      resendUnknown: true,
    });
    expect(statusesOf(resent)).toEqual(['succeeded']);
  });

  test('may have a torn last line, in each of several runs', async () => {
    const world = onMock();
    const journal = lockedJournal();
    for (const count of [1, 2, 3, 4]) {
      const rows = await runChatBatch(newProcess(world), numbers(count), { journal });
      expect(statusesOf(rows)).toEqual(Array(count).fill('succeeded'));
      journal.lines.push('{"v":1,"type":"submit","id":"x","pa');
    }
    expect(chatRequests(world.mock)).toHaveLength(4);
  });

  test('that cannot store a completion makes the row unknown to later runs', async () => {
    const world = onMock();
    const error = vi.fn<(message: string) => void>();
    const ignore = () => undefined;
    const logger = { error, warn: ignore, info: ignore, debug: ignore };
    const journal = lockedJournal();
    const { append } = journal;
    journal.append = async (line) => {
      if (line.includes('"completed"')) throw new Error('ENOSPC');
      await append(line);
    };
    const { gateway } = newProcess(world, { logger, logLevel: 'error' });
    const [row] = await runChatBatch({ ...world, gateway }, ['a'], { journal });
    expect(row).toMatchObject({ status: 'succeeded', completion: { object: 'chat.completion' } });
    expect(error.mock.calls[0]?.[0]).toContain('appending failed (Error: ENOSPC)');
    const [later] = await runChatBatch(newProcess(world), ['a'], { journal });
    expect(later?.status).toBe('unknown');
    const { mock, gateway: other } = newProcess(world);
    const recovered = await mock.clock.settle(collect(other.recover(journal)));
    expect(statusesOf(recovered)).toEqual(['unknown']);
    expect(chatRequests(world.mock)).toHaveLength(1);
  });

  test('that cannot store an intent sends nothing', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const { append } = journal;
    journal.append = async (line) => {
      if (line.includes('"submit"')) throw new Error('ENOSPC');
      await append(line);
    };
    const [row] = await runChatBatch(world, ['a'], { journal });
    expect(row).toMatchObject({ status: 'failed', error: { outcome: 'not-sent' } });
    expect(world.mock.requests).toEqual([]);
    expect(world.gateway.concurrency.inFlight).toBe(0);
  });
});

describe('chats with a schema', () => {
  const label = z.object({ answer: z.string() });
  const describeLabel =
    (gateway: ReturnType<typeof newProcess>['gateway'], schema: typeof label) => (row: number) =>
      gateway.chat.completions.submission({
        model: 'aurora-chat',
        messages: [{ role: 'user', content: `Label ${row}` }],
        response_format: schema,
      });

  test('have parsed, which is checked again when it comes from the journal', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const run = async (schema: typeof label) => {
      const { mock, gateway } = newProcess(world);
      const batch = gateway.batch(numbers(2), describeLabel(gateway, schema), { journal });
      return mock.clock.settle(collect(batch));
    };
    const first = await run(label);
    expect(first[0]).toMatchObject({ status: 'succeeded', parsed: { answer: expect.any(String) } });
    expect(first[0]?.parsed).toEqual(
      first[0]?.status === 'succeeded' ? first[0].completion.parsed : undefined,
    );
    const second = await run(label);
    expect(second[0]?.parsed).toEqual(first[0]?.parsed);
    const strict = label.refine(() => false);
    const third = await run(strict);
    expect(third[0]).toMatchObject({
      status: 'failed',
      completion: { object: 'chat.completion' },
      error: expect.any(StructuredOutputError),
    });
    expect(chatRequests(world.mock)).toHaveLength(2);
  });

  test('that do not match are failed with their completion, and are not sent again', async () => {
    const world = onMock();
    const journal = lockedJournal();
    for (const _ of [1, 2]) {
      const { mock, gateway } = newProcess(world);
      const schema = label.refine(() => false);
      const batch = gateway.batch([1], describeLabel(gateway, schema), { journal });
      const [row] = await mock.clock.settle(collect(batch));
      expect(row).toMatchObject({ status: 'failed', completion: { id: expect.any(String) } });
    }
    expect(chatRequests(world.mock)).toHaveLength(1);
    expect(journal.lines.some((line) => line.includes('"status":"failed"'))).toBe(true);
  });

  test('cannot be streamed', () => {
    const { gateway } = onMock();
    const params = { model: 'aurora-chat', messages: [], stream: true };
    const describeRow = () =>
      Reflect.apply(gateway.chat.completions.submission, gateway.chat.completions, [params]);
    expect(describeRow).toThrow(ConfigurationError);
    expect(describeRow).toThrow('stream: must be false');
  });
});
