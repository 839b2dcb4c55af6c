import { describe, expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { onMock, turns } from '../support.ts';
import { chatRequests, describeChat, lockedJournal, newProcess, runChatBatch } from './support.ts';

const torn = '{"v":1,"type":"torn"}';
const tornMarks = (lines: readonly string[]) => lines.filter((line) => line === torn).length;

/** A step that waits until it may continue. */
function gate() {
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const pass = () => {
    reach();
    return opened;
  };
  return { pass, reached, open: () => open() };
}

/**
 * The journal of an earlier run that has sent chat `a`: its `submit` line is damaged, and the last line is torn. It
 * looks as if it had no chats, so that only the first chat of a run locks it.
 */
async function damagedJournal() {
  const world = onMock();
  const journal = lockedJournal();
  await runChatBatch(world, ['a'], { journal, id: String });
  const { lines } = journal;
  const [run = '', submit = ''] = lines;
  lines.splice(0, lines.length, run, submit.slice(0, 60), '{"v":1,"type":"run","run":"x"}');
  lines.push('{"v":1,"type":"submit","id":"x","pa');
  return { world, journal };
}

/** Leaves a batch after the result of a row that cannot be planned, as soon as its chat has reached a step. */
async function leaveWhile(
  world: ReturnType<typeof onMock>,
  journal: ReturnType<typeof lockedJournal>,
  reached: Promise<void>,
) {
  const { gateway, mock } = newProcess(world);
  const describeRow = (row: string) => {
    if (row === 'invalid') throw new Error('no prompt');
    return describeChat(gateway)(row);
  };
  const batch = gateway.batch(['new', 'invalid'], describeRow, { journal, id: String });
  const consume = async () => {
    for await (const { id } of batch) {
      await reached;
      return id;
    }
    return undefined;
  };
  expect(await mock.clock.settle(consume())).toBe('invalid');
}

describe('a batch that the caller leaves while its first chat locks the journal', () => {
  test('does not mark a torn line after it has released the lock', async () => {
    const { world, journal } = await damagedJournal();
    const reading = gate();
    let readings = 0;
    const slow = {
      ...journal,
      async *read() {
        readings += 1;
        const lines = journal.lines.slice();
        // The first reading opens the run; the second is that of the lock.
        if (readings === 2) await reading.pass();
        yield* lines;
      },
    };
    await leaveWhile(world, slow, reading.reached);
    const other = await runChatBatch(newProcess(world), ['b'], {
      journal,
      id: String,
      resendUnknown: true,
    });
    expect(other).toMatchObject([{ status: 'succeeded' }]);
    expect(tornMarks(journal.lines)).toBe(1);
    reading.open();
    await turns();
    expect(tornMarks(journal.lines)).toBe(1);
    // The damaged line may be about it.
    const again = await runChatBatch(newProcess(world), ['a'], { journal, id: String });
    expect(again).toMatchObject([{ status: 'unknown' }]);
    expect(chatRequests(world.mock)).toHaveLength(2);
  });

  test('keeps the lock while a torn line is being marked', async () => {
    const { world, journal } = await damagedJournal();
    const writing = gate();
    const append = async (line: string) => {
      if (line === torn) await writing.pass();
      await journal.append(line);
    };
    await leaveWhile(world, { ...journal, append }, writing.reached);
    const options = { journal, id: String };
    await expect(
      runChatBatch(newProcess(world), ['a'], { ...options, resendUnknown: true }),
    ).rejects.toThrow('in use by process 7');
    writing.open();
    await turns();
    expect(tornMarks(journal.lines)).toBe(1);
    const again = await runChatBatch(newProcess(world), ['a'], options);
    expect(again).toMatchObject([{ status: 'unknown' }]);
    expect(chatRequests(world.mock)).toHaveLength(1);
  });
});

describe('a journal whose second reading cannot be ended', () => {
  test.each([
    ['rejects', () => Promise.reject(new Error('EIO'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('is unlocked if ending it %s', async (_, end) => {
    const world = onMock();
    const journal = lockedJournal();
    const options = { id: String, journal };
    await runChatBatch(world, ['a'], options);
    const read = () => {
      const lines = journal.read()[Symbol.asyncIterator]();
      return { [Symbol.asyncIterator]: () => ({ next: () => lines.next(), return: end }) };
    };
    const { gateway, mock } = newProcess(world);
    const batch = gateway.batch(['a'], describeChat(gateway), {
      ...options,
      journal: { ...journal, read },
    });
    const ended = mock.clock.settle(collect(batch));
    ended.catch(() => undefined);
    await turns();
    const rows = await runChatBatch(newProcess(world), ['a'], options);
    expect(rows).toMatchObject([{ status: 'succeeded' }]);
    expect(chatRequests(mock)).toHaveLength(1);
  });
});
