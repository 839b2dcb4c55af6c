import { describe, expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { jsonReply, caught, clientOf, onMock, scripted, turns } from '../support.ts';
import {
  newProcess,
  runImageBatch,
  describeImage,
  memoryJournal,
  numbers,
  pausedImages,
  chargedKeys,
  lineTypes,
} from './support.ts';

const id = (row: unknown) => `row ${String(row)}`;

describe('a journal', () => {
  test('records each submit before it is sent, and its task afterwards', async () => {
    const world = onMock();
    const events: string[] = [];
    const { mock } = world;
    const journal = memoryJournal([], {
      append: async (line) => {
        const { type, id: row = '' } = JSON.parse(line);
        events.push(`${type} ${row} is appended, ${mock.requests.length} sent`);
        await mock.clock.sleep(1_000);
        journal.lines.push(line);
        events.push(`${type} ${row} is durable, ${mock.requests.length} sent`);
      },
    });
    await runImageBatch(world, ['a'], { journal, id });
    expect(events.slice(0, 6)).toEqual([
      'run  is appended, 0 sent',
      'run  is durable, 0 sent',
      'submit row a is appended, 0 sent',
      'submit row a is durable, 0 sent',
      'accepted row a is appended, 1 sent',
      'accepted row a is durable, 1 sent',
    ]);
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'accepted', 'finished']);
  });

  test('lets the same batch run again: it yields every row and submits nothing', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const first = await runImageBatch(world, numbers(30), { journal, id });
    const again = await runImageBatch(newProcess(world), numbers(30), { journal, id });
    const idOf = (rows: typeof first) => rows.map(({ task }) => String(task?.id)).toSorted();
    expect(idOf(again)).toEqual(idOf(first));
    expect(again.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(world.mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(30);
  });

  test('gets no lines after the batch is aborted', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 2, latencyMs: 1_000 });
    const stop = new AbortController();
    const journal = memoryJournal([], {
      append: async (line) => {
        journal.lines.push(line);
        await mock.clock.sleep(10);
      },
    });
    const late = async (row: number) => {
      await mock.clock.sleep(row * 5);
      return describeImage(gateway)(row);
    };
    const batch = gateway.batch(numbers(20), late, { journal, signal: stop.signal });
    const ended = caught(batch.next());
    await mock.clock.advance(50);
    stop.abort();
    await ended;
    const { length } = journal.lines;
    expect(length).toBeLessThan(21);
    await mock.clock.advance(60_000);
    expect(lineTypes(journal).slice(length)).toEqual([]);
  });

  test('stores no receipt if the response has no task id, so the row is resent with its key', async () => {
    const finished = jsonReply(200, { data: [{ url: 'https://files.example/a.png' }] });
    const { fetch, sent } = scripted(finished);
    const gateway = clientOf(fetch);
    const journal = memoryJournal();
    for (const _ of [1, 2]) {
      const [row] = await collect(gateway.batch([1], describeImage(gateway), { journal }));
      expect(row?.generation?.urls).toEqual(['https://files.example/a.png']);
    }
    expect(await collect(gateway.recover(journal))).toEqual([]);
    expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key'))).size).toBe(1);
  });

  test('that cannot be written prevents every request', async () => {
    const full = async () => {
      throw new Error('ENOSPC: no space left on device');
    };
    const world = onMock();
    const error = await caught(
      runImageBatch(world, [1], { journal: memoryJournal([], { append: full }) }),
    );
    expect(error.message).toMatch(/ENOSPC/);
    const withRun = memoryJournal(['{"v":1,"type":"run","run":"r"}'], { append: full });
    const rows = await runImageBatch(world, numbers(3), { journal: withRun });
    for (const row of rows) {
      expect(row).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('ENOSPC') },
      });
    }
    expect(rows).toHaveLength(3);
    expect(world.mock.requests).toEqual([]);
  });

  test('that cannot be written after the submit request causes no second charge', async () => {
    const world = onMock();
    const journal = memoryJournal([], {
      append: async (line) => {
        if (!/"(run|submit)"/.test(line)) throw new Error('ENOSPC');
        journal.lines.push(line);
      },
    });
    for (const { mock, gateway } of [world, newProcess(world)]) {
      const batch = gateway.batch([1], describeImage(gateway), { journal });
      expect((await mock.clock.settle(batch.next())).value).toMatchObject({ status: 'succeeded' });
      await expect(mock.clock.settle(batch.next())).rejects.toThrow('Row 0 was charged 0.02 USD');
    }
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('never contains the API key, and contains prompts only with storeParams', async () => {
    for (const [own, given, stored] of [
      [undefined, undefined, false],
      [true, undefined, true],
      [undefined, true, true],
      [true, false, false],
    ]) {
      const world = onMock();
      const journal = memoryJournal([], { storeParams: own });
      await runImageBatch(world, numbers(3), { journal, storeParams: given });
      expect(journal.lines.join('\n').includes('Harbor')).toBe(stored);
      expect(journal.lines.join('\n')).not.toContain(world.mock.apiKey);
    }
  });

  test.each([
    ['Ünïcödé 🐙', 'newline\nand\u2028another', '"quote"', '__proto__', 'constructor', ' '],
    ['\ud800', '\ud801', 'x'.repeat(10_240), `${'x'.repeat(10_240)}y`, 'a\n', 'a'],
  ])('accepts any non-empty string as an id: %j', async (...ids) => {
    const world = onMock();
    const journal = memoryJournal();
    const options = { journal, id: (row: string) => row };
    await runImageBatch(world, ids, options);
    const rows = await runImageBatch(newProcess(world), ids, options);
    expect(rows.map((row) => row.id).toSorted()).toEqual(ids.toSorted());
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(world.mock.invoice).toHaveLength(ids.length);
    expect(chargedKeys(world.mock).size).toBe(ids.length);
  });

  test('with a damaged submit line still rejects other params of a row that may have been charged', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const empty = world.mock.fail({ route: 'POST /v1/images/tasks', status: 402 });
    await pausedImages(newProcess(world), ['a'], { journal, id });
    journal.lines[1] = journal.lines[1]?.slice(0, 40) ?? '';
    empty.remove();
    world.mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    await runImageBatch(newProcess(world, { maxRetries: 0 }), ['a'], { journal, id });
    const { mock, gateway } = newProcess(world);
    const changed = gateway.batch(['a'], () => describeImage(gateway)('other'), { journal, id });
    const rows = await mock.clock.settle(collect(changed));
    expect(rows[0]?.error?.message).toContain('its params differ from an earlier submission');
    expect(mock.invoice).toHaveLength(1);
  });

  test('can be shared by two processes: each row is charged once, and both yield it', async () => {
    const world = onMock({ latencyMs: 50, concurrencyLimit: 100 });
    const journal = memoryJournal([], {
      append: async (line) => {
        await world.mock.clock.sleep(10);
        journal.lines.push(line);
      },
    });
    const both = [newProcess(world), newProcess(world)].map(({ gateway }) =>
      collect(gateway.batch(numbers(40), describeImage(gateway), { journal, id })),
    );
    for (const rows of await world.mock.clock.settle(Promise.all(both))) {
      expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(40);
    }
    expect(world.mock.invoice).toHaveLength(40);
  });

  test('still has a row as paid that one process has submitted, and that is rejected in another one', async () => {
    const world = onMock();
    const { mock } = world;
    let reject = () => {};
    const rejected = new Promise<Response>((resolve) => {
      reject = () => resolve(Response.json({ error: { code: 'overloaded' } }, { status: 503 }));
    });
    const journal = memoryJournal();
    const slow = newProcess(world, { fetch: () => rejected, maxRetries: 0 });
    const first = runImageBatch(slow, ['a'], { journal });
    await turns();
    expect(lineTypes(journal)).toEqual(['run', 'submit']);
    // The second process dies before it can record the task.
    const dying = memoryJournal(journal.lines, {
      append: async (line) => {
        if (line.includes('"submit"')) journal.lines.push(line);
      },
    });
    await runImageBatch(newProcess(world), ['a'], { journal: dying });
    reject();
    await first;
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'submit', 'refused']);

    const [changed] = await runImageBatch(newProcess(world), ['b'], { journal });
    expect(changed?.error?.message).toContain('its params differ from an earlier submission');
    const [row] = await runImageBatch(newProcess(world), ['a'], { journal });
    expect(row).toMatchObject({ status: 'succeeded', task: { replayed: true } });
    expect(mock.invoice).toHaveLength(1);
  });
});
