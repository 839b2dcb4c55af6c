import { describe, expect, test, vi } from 'vitest';

import { AbortedError, ConfigurationError } from '../../../src/index.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { caught, onMock, turns } from '../support.ts';
import {
  chatRequests,
  describeChat,
  describeImage,
  lineTypes,
  lockedJournal,
  memoryJournal,
  newProcess,
  numbers,
  runChatBatch,
  runImageBatch,
  submitStatuses,
} from './support.ts';

const statusesOf = (rows: readonly { status: string }[]) => rows.map(({ status }) => status);

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

  test('that another process has filled before the first chat was described is not paid for again', async () => {
    const world = onMock();
    const journal = lockedJournal();
    const { gateway, mock } = newProcess(world);
    let describeRows = () => {};
    const described = new Promise<void>((resolve) => (describeRows = resolve));
    const describeRow = describeChat(gateway);
    const describeLater = async (row: unknown) => {
      await described;
      return describeRow(row);
    };
    const rows = collect(gateway.batch(numbers(3), describeLater, { journal }));
    await turns();
    await runChatBatch(newProcess(world), numbers(3), { journal });
    describeRows();
    expect(statusesOf(await mock.clock.settle(rows))).toEqual(Array(3).fill('succeeded'));
    expect(chatRequests(mock)).toHaveLength(3);
  });

  test('that is read again for the first chat keeps the tasks of rows that are planned meanwhile', async () => {
    const world = onMock({ tasks: { durationMs: 60_000 } });
    const { mock } = world;
    const earlier = memoryJournal();
    await runImageBatch(world, ['task'], { journal: earlier, id: String });
    expect(lineTypes(earlier)).toEqual(['run', 'submit', 'accepted', 'finished']);
    const lines = earlier.lines.slice(0, -1);

    const { gateway } = newProcess(world);
    const events = new EventTarget();
    const event = (name: string) =>
      new Promise((resolve) => events.addEventListener(name, resolve, { once: true }));
    const [readingBegan, taskDescribed] = [event('reading again'), event('task')];
    let readings = 0;
    const journal = lockedJournal(lines, {
      async *read() {
        readings += 1;
        if (readings > 1) {
          events.dispatchEvent(new Event('reading again'));
          await taskDescribed;
          await turns();
        }
        yield* lines.slice();
      },
    });
    const inputs = async function* () {
      yield 'chat';
      await readingBegan;
      yield 'task';
    };
    const describeRow = (row: string) => {
      events.dispatchEvent(new Event(row));
      return row === 'chat' ? describeChat(gateway)(row) : describeImage(gateway)(row);
    };
    const rows = collect(gateway.batch(inputs(), describeRow, { journal, id: String }));
    expect(statusesOf(await mock.clock.settle(rows))).toEqual(['succeeded', 'succeeded']);
    expect(readings).toBeGreaterThan(1);
    expect(submitStatuses(mock)).toHaveLength(2);
  });

  test('is needed for a crash only: without one, chats are sent', async () => {
    const rows = await runChatBatch(onMock(), numbers(3));
    expect(statusesOf(rows)).toEqual(Array(3).fill('succeeded'));
  });

  test('never replaces a task that was paid for, also if the line of its submission is damaged', async () => {
    const world = onMock();
    const journal = lockedJournal();
    await runImageBatch(world, numbers(1), { journal });
    const damaged = journal.lines.findIndex((line) => line.includes('"submit"'));
    journal.lines[damaged] = journal.lines[damaged]?.slice(0, 60) ?? '';
    const options = { journal, resendUnknown: true };
    const [row] = await runChatBatch(newProcess(world), numbers(1), options);
    expect(row?.error?.message).toContain('its params differ from an earlier submission');
    expect(chatRequests(world.mock)).toEqual([]);
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

  test('without a readable intent still yields a completion', async () => {
    const world = onMock();
    const journal = lockedJournal();
    await runChatBatch(world, ['a', 'b'], { journal });
    const lines = journal.lines
      .filter((line) => !line.includes('"type":"finished"'))
      .map((line) => (line.includes('"type":"submit","id":"0"') ? line.slice(0, 30) : line));
    const run = runChatBatch(newProcess(world), ['a', 'b'], { journal: lockedJournal([...lines]) });
    expect(statusesOf(await run)).toEqual(['succeeded', 'succeeded']);
    const { gateway, mock } = newProcess(world);
    const recovered = await mock.clock.settle(collect(gateway.recover(lockedJournal(lines))));
    expect(statusesOf(recovered).toSorted()).toEqual(['succeeded', 'succeeded', 'unknown']);
    expect(recovered.find(({ status }) => status === 'unknown')).toMatchObject({ id: '' });
    expect(chatRequests(mock)).toHaveLength(2);
  });

  test('without a readable intent keeps the id for the chat', async () => {
    const world = onMock();
    const journal = lockedJournal();
    await runChatBatch(world, ['a'], { journal });
    const lines = journal.lines.filter((line) => !line.includes('"submit"'));
    const { mock, gateway } = newProcess(world);
    const options = { journal: lockedJournal(lines) };
    const [row] = await runImageBatch({ mock, gateway }, ['a'], options);
    expect(row).toMatchObject({ status: 'unknown', error: { name: 'ConfigurationError' } });
    expect(mock.invoice).toHaveLength(1);
  });

  test('takes an intent back if the time limit of the call ends while it is written', async () => {
    const world = onMock();
    const { mock } = world;
    const journal = lockedJournal();
    const { append } = journal;
    const slow = {
      ...journal,
      append: async (line: string) => {
        if (line.includes('"submit"')) await mock.clock.sleep(2_000);
        await append(line);
      },
    };
    const { gateway } = newProcess(world, { totalTimeout: 1_000 });
    const rows = await runChatBatch({ mock, gateway }, ['a'], { journal: slow });
    expect(rows).toMatchObject([{ status: 'failed', error: { outcome: 'not-sent' } }]);
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'refused']);
    const again = await runChatBatch(newProcess(world), ['a'], { journal });
    expect(statusesOf(again)).toEqual(['succeeded']);
    expect(chatRequests(mock)).toHaveLength(1);
  });

  test('is unlocked if the callback of a row returns after the batch was aborted', async () => {
    const warn = vi.fn<(message: string) => void>();
    const ignore = () => undefined;
    const logger = { error: ignore, warn, info: ignore, debug: ignore };
    const world = onMock({}, { logger, logLevel: 'warn' });
    const journal = lockedJournal();
    const controller = new AbortController();
    const callback = new EventTarget();
    const described = new Promise((resolve) => callback.addEventListener('end', resolve));
    const batch = world.gateway.batch(
      ['a'],
      async (row) => {
        await described;
        return describeChat(world.gateway)(row);
      },
      { journal, signal: controller.signal },
    );
    const aborted = rejection(AbortedError, collect(batch));
    await turns();
    controller.abort();
    await aborted;
    callback.dispatchEvent(new Event('end'));
    await turns();
    expect(warn).not.toHaveBeenCalled();
    expect(statusesOf(await runChatBatch(world, ['a'], { journal }))).toEqual(['succeeded']);
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
    const batch = gateway.batch(['a'], describeChat(gateway), { journal });
    expect((await world.mock.clock.settle(batch.next())).value).toMatchObject({
      status: 'succeeded',
      completion: { object: 'chat.completion' },
    });
    await expect(world.mock.clock.settle(batch.next())).rejects.toThrow(
      'that the journal does not have',
    );
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
