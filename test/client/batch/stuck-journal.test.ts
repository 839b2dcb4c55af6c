import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import { eventually } from '../../support/eventually.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { chat, onMock, turns } from '../support.ts';
import {
  chatRequests,
  describeChat,
  lineTypes,
  lockedJournal,
  newProcess,
  runChatBatch,
} from './support.ts';

/**
 * A batch with one chat that was aborted while the journal was writing its `submit` line. One chat was sent before, and the
 * budget covers one more.
 */
async function abortedWhileWriting() {
  const { mock, gateway: first } = onMock();
  await mock.clock.settle(first.chat.completions.create(chat));
  const budget = { maxUsd: 2 * first.spend.totalUsd };
  const gateway = first.withOptions({ budget, concurrency: 1 });
  const journal = lockedJournal();
  const { append } = journal;
  const disk = new EventTarget();
  const written = new Promise((resolve) => disk.addEventListener('write', resolve));
  const slow = {
    ...journal,
    append: async (line: string) => {
      if (line.includes('"submit"')) await written;
      await append(line);
    },
  };
  const controller = new AbortController();
  const { signal } = controller;
  const rows = gateway.batch(['a'], describeChat(gateway), { journal: slow, signal });
  const aborted = rejection(AbortedError, collect(rows));
  await eventually(() => expect(gateway.concurrency.inFlight).toBe(1));
  controller.abort(new Error('stop'));
  await turns();
  const write = async () => {
    disk.dispatchEvent(new Event('write'));
    await turns();
  };
  return { mock, gateway, journal, aborted, write };
}

describe('a chat whose batch is aborted while the journal writes its intent', () => {
  test('releases its slot and its part of the budget at once', async () => {
    const { mock, gateway, aborted, write } = await abortedWhileWriting();
    expect(gateway.concurrency.inFlight).toBe(0);
    await mock.clock.settle(gateway.chat.completions.create(chat));
    await write();
    await mock.clock.settle(aborted);
    expect(chatRequests(mock)).toHaveLength(2);
    expect(mock.invoice).toHaveLength(2);
  });

  test('ends, and is not sent, if the write never ends', async () => {
    const { mock, journal, aborted } = await abortedWhileWriting();
    const error = await mock.clock.settle(aborted);
    expect(error).toMatchObject({ cause: { message: 'stop' }, outcome: 'not-sent' });
    expect(error.message).toContain('None of them was sent');
    expect(chatRequests(mock)).toHaveLength(1);
    expect(lineTypes(journal)).toEqual(['run']);
    const again = await runChatBatch(newProcess({ mock }), ['a'], {
      journal: lockedJournal([...journal.lines]),
    });
    expect(again).toMatchObject([{ status: 'succeeded' }]);
    expect(mock.invoice).toHaveLength(2);
  });

  test('is taken back if the write ends soon, so that the next run sends it', async () => {
    const { mock, journal, aborted, write } = await abortedWhileWriting();
    await write();
    expect(await mock.clock.settle(aborted)).toMatchObject({ outcome: 'not-sent' });
    expect(chatRequests(mock)).toHaveLength(1);
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'refused']);
    const again = await runChatBatch(newProcess({ mock }), ['a'], {
      journal: lockedJournal([...journal.lines]),
    });
    expect(again).toMatchObject([{ status: 'succeeded' }]);
    expect(mock.invoice).toHaveLength(2);
  });

  test('is taken back even if the write ends after the run', async () => {
    const { mock, journal, aborted, write } = await abortedWhileWriting();
    await mock.clock.settle(aborted);
    await write();
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'refused']);
    expect(chatRequests(mock)).toHaveLength(1);
  });
});
