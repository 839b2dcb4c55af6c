import { describe, expect, test } from 'vitest';

import { AbortedError, ConfigurationError } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import { onMock, turns } from '../support.ts';
import {
  chatRequests,
  describeChat,
  lineTypes,
  lockedJournal,
  newProcess,
  runChatBatch,
} from './support.ts';

/** A journal of chats that does not finish lines with `text` until it is repaired. */
function hungJournal(text: string) {
  const journal = lockedJournal();
  const waiting: (() => void)[] = [];
  let isHung = true;
  const append = async (line: string) => {
    if (isHung && line.includes(text)) await new Promise<void>((resolve) => waiting.push(resolve));
    await journal.append(line);
  };
  const repair = () => {
    isHung = false;
    for (const resume of waiting) resume();
  };
  return { ...journal, append, repair };
}

/** Runs a batch of one chat, and aborts it after ten seconds. */
async function abortChats(journal: ReturnType<typeof hungJournal>) {
  const world = onMock();
  const { mock, gateway } = world;
  const stop = new AbortController();
  const options = { journal, signal: stop.signal, id: (row: string) => row };
  const ended = rejection(
    AbortedError,
    gateway.batch(['a'], describeChat(gateway), options).next(),
  );
  await mock.clock.advance(10_000);
  stop.abort(new Error('enough'));
  await mock.clock.advance(2_000);
  return { ...world, options: { journal, id: options.id }, error: await ended };
}

describe('a batch of chats whose journal hangs', () => {
  test('ends when the caller aborts, and sends no chat that is not recorded', async () => {
    const journal = hungJournal('"submit"');
    const { mock, error } = await abortChats(journal);
    expect(error.rows).toMatchObject([{ id: 'a', outcome: 'not-sent' }]);
    journal.repair();
    await mock.clock.advance(60_000);
    expect(chatRequests(mock)).toEqual([]);
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'refused']);
  });

  test('reports a chat that was paid for when the caller aborts, and records it afterwards', async () => {
    const journal = hungJournal('"completed"');
    const { mock, error, options } = await abortChats(journal);
    expect(error).toMatchObject({ outcome: 'unknown', rows: [{ id: 'a', outcome: 'unknown' }] });
    expect(mock.invoice).toHaveLength(1);
    const early = runChatBatch(newProcess({ mock }), ['a'], options);
    expect((await rejection(ConfigurationError, early)).message).toContain('is in use');
    journal.repair();
    await turns();
    const late = newProcess({ mock });
    expect(await runChatBatch(late, ['a'], options)).toMatchObject([{ status: 'succeeded' }]);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each(['"submit","id":"b"', '"completed","id":"b"'])(
    'ends when the consumer breaks while %s is appended',
    async (text) => {
      const { mock, gateway } = onMock();
      const journal = hungJournal(text);
      const options = { journal, id: (row: string) => row };
      const consume = async () => {
        for await (const { id } of gateway.batch(['a', 'b'], describeChat(gateway), options)) {
          await mock.clock.sleep(10_000);
          return id;
        }
        return undefined;
      };
      const ended = consume();
      await mock.clock.advance(20_000);
      expect(await ended).toBe('a');
      journal.repair();
      await mock.clock.advance(1_000);
      expect(chatRequests(mock)).toHaveLength(mock.invoice.length);
      const rows = await runChatBatch(newProcess({ mock }), ['a', 'b'], options);
      expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      expect(mock.invoice).toHaveLength(2);
    },
  );
});

test('a recovery whose journal cannot be locked ends when the caller aborts', async () => {
  const world = onMock();
  const { mock } = world;
  const journal = lockedJournal();
  await runChatBatch(world, ['a'], { journal });
  const lock = () => new Promise<never>(() => undefined);
  const stop = new AbortController();
  const { gateway } = newProcess(world);
  const recovery = gateway.recover({ ...journal, lock }, { signal: stop.signal });
  const ended = rejection(AbortedError, recovery.next());
  await mock.clock.advance(10_000);
  stop.abort();
  expect(await ended).toMatchObject({ outcome: 'unknown', rows: [] });
});
