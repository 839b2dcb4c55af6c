import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { BatchOptions } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { another, draw, drawing, memoryJournal, numbers, paidKeys, typesIn } from './support.ts';
import { answer, caught, clientOf, image, onMock, scripted } from '../support.ts';

const submits = 'POST /v1/images/tasks';
const id = (row: unknown) => `row ${String(row)}`;

describe('a journal', () => {
  test('has each row written down before it is sent, and its task after', async () => {
    const world = onMock();
    const events: string[] = [];
    const { mock } = world;
    const journal = memoryJournal([], {
      append: async (line) => {
        const { type, id: row = '' } = JSON.parse(line);
        events.push(`${type} ${row} begins, ${mock.requests.length} sent`);
        await mock.clock.sleep(1_000);
        journal.lines.push(line);
        events.push(`${type} ${row} is safe, ${mock.requests.length} sent`);
      },
    });
    await draw(world, ['a'], { journal, id });
    expect(events.slice(0, 6)).toEqual([
      'run  begins, 0 sent',
      'run  is safe, 0 sent',
      'submit row a begins, 0 sent',
      'submit row a is safe, 0 sent',
      'accepted row a begins, 1 sent',
      'accepted row a is safe, 1 sent',
    ]);
    expect(typesIn(journal)).toEqual(['run', 'submit', 'accepted', 'finished']);
  });

  test('makes a batch that is run again yield everything, and pay nothing', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const first = await draw(world, numbers(30), { journal, id });
    const again = await draw(another(world), numbers(30), { journal, id });
    const idOf = (rows: typeof first) => rows.map(({ task }) => String(task?.id)).toSorted();
    expect(idOf(again)).toEqual(idOf(first));
    expect(again.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(world.mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(30);
  });

  test('hears no more of a batch that was aborted', async () => {
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
      return drawing(gateway)(row);
    };
    const batch = gateway.batch(numbers(20), late, { journal, signal: stop.signal });
    const ended = caught(batch.next());
    await mock.clock.advance(50);
    stop.abort();
    await ended;
    const { length } = journal.lines;
    expect(length).toBeLessThan(21);
    await mock.clock.advance(60_000);
    expect(typesIn(journal).slice(length)).toEqual([]);
  });

  test('keeps no receipt of an answer that names no task, and has it asked again', async () => {
    const finished = answer(200, { data: [{ url: 'https://files.example/a.png' }] });
    const { fetch, sent } = scripted(finished);
    const gateway = clientOf(fetch);
    const journal = memoryJournal();
    for (const _ of [1, 2]) {
      const [row] = await collect(gateway.batch([1], drawing(gateway), { journal }));
      expect(row?.generation?.urls).toEqual(['https://files.example/a.png']);
    }
    expect(await collect(gateway.recover(journal))).toEqual([]);
    expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key'))).size).toBe(1);
  });

  test('that cannot be written lets nothing be sent', async () => {
    const full = async () => {
      throw new Error('ENOSPC: no space left on device');
    };
    const world = onMock();
    const error = await caught(draw(world, [1], { journal: memoryJournal([], { append: full }) }));
    expect(error.message).toMatch(/ENOSPC/);
    const begun = memoryJournal(['{"v":1,"type":"run","run":"r"}'], { append: full });
    const rows = await draw(world, numbers(3), { journal: begun });
    for (const row of rows) {
      expect(row).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('ENOSPC') },
      });
    }
    expect(rows).toHaveLength(3);
    expect(world.mock.requests).toEqual([]);
  });

  test('that cannot be written after the submit loses nothing', async () => {
    const world = onMock();
    const journal = memoryJournal([], {
      append: async (line) => {
        if (!/"(run|submit)"/.test(line)) throw new Error('ENOSPC');
        journal.lines.push(line);
      },
    });
    expect((await draw(world, [1], { journal }))[0]?.status).toBe('succeeded');
    expect((await draw(another(world), [1], { journal }))[0]?.status).toBe('succeeded');
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('never holds the API key, and prompts only where it is asked to', async () => {
    for (const [own, given, stored] of [
      [undefined, undefined, false],
      [true, undefined, true],
      [undefined, true, true],
      [true, false, false],
    ]) {
      const world = onMock();
      const journal = memoryJournal([], { storeParams: own });
      await draw(world, numbers(3), { journal, storeParams: given });
      expect(journal.lines.join('\n').includes('Harbour')).toBe(stored);
      expect(journal.lines.join('\n')).not.toContain(world.mock.apiKey);
    }
  });

  test.each([
    ['Ünïcödé 🐙', 'newline\nand\u2028another', '"quote"', '__proto__', 'constructor', ' '],
    ['\ud800', '\ud801', 'x'.repeat(10_240), `${'x'.repeat(10_240)}y`, 'a\n', 'a'],
  ])('takes any text as an id: %j', async (...ids) => {
    const world = onMock();
    const journal = memoryJournal();
    const options = { journal, id: (row: string) => row };
    await draw(world, ids, options);
    const rows = await draw(another(world), ids, options);
    expect(rows.map((row) => row.id).toSorted()).toEqual(ids.toSorted());
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(world.mock.invoice).toHaveLength(ids.length);
    expect(paidKeys(world.mock).size).toBe(ids.length);
  });

  test('may be shared by two processes at once: each row is paid once, and both get it', async () => {
    const world = onMock({ latencyMs: 50, concurrencyLimit: 100 });
    const journal = memoryJournal([], {
      append: async (line) => {
        await world.mock.clock.sleep(10);
        journal.lines.push(line);
      },
    });
    const both = [another(world), another(world)].map(({ gateway }) =>
      collect(gateway.batch(numbers(40), drawing(gateway), { journal, id })),
    );
    for (const rows of await world.mock.clock.settle(Promise.all(both))) {
      expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(40);
    }
    expect(world.mock.invoice).toHaveLength(40);
  });
});

describe('a row that was begun before', () => {
  /** A first process that dies with the answer to its submit on the way. */
  async function dead(options: BatchOptions<number> = {}) {
    const world = onMock({ tasks: { durationMs: 1_000 } });
    const journal = memoryJournal();
    const drop = world.mock.fail({ route: submits, reset: 'after' });
    const { gateway } = another(world, { maxRetries: 0 });
    const [row] = await draw({ ...world, gateway }, [1], { ...options, journal });
    expect(row?.status).toBe('unknown');
    drop.remove();
    return { world, journal };
  }

  test('is asked again with its key, and found', async () => {
    const { world, journal } = await dead();
    const [row] = await draw(another(world), [1], { journal });
    expect(row).toMatchObject({ status: 'succeeded', task: { replayed: true } });
    expect(world.mock.invoice).toHaveLength(1);
  });

  test.each([
    ['the wallet is empty', 402, {}],
    ['the key is refused', 401, {}],
    ['the budget is spent', 200, { budget: { maxUsd: 0 } }],
  ])('stays open when now %s: that says nothing of the first time', async (_, status, options) => {
    const { world, journal } = await dead();
    const fault = status === 200 ? undefined : world.mock.fail({ route: submits, status });
    const [refused] = await draw(another(world, options), [1], { journal });
    expect(refused?.status).toBe('unknown');
    expect(typesIn(journal)).toEqual(['run', 'submit']);
    fault?.remove();
    const [row] = await draw(another(world), [1], { journal });
    expect(row?.status).toBe('succeeded');
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('is open also when it cannot be described any more', async () => {
    const { world, journal } = await dead();
    const gateway = another(world).gateway;
    const batch = gateway.batch([1], () => Promise.reject(new Error('gone')), { journal });
    const [row] = await world.mock.clock.settle(collect(batch));
    expect(row?.status).toBe('unknown');
    expect(row?.idempotencyKey).toBe(world.mock.invoice[0]?.idempotencyKey);
  });

  test('with other params is refused, and keeps its key', async () => {
    const { world, journal } = await dead();
    const before = [...journal.lines];
    const gateway = another(world).gateway;
    const other = () => gateway.images.submission({ ...image, prompt: 'Something else' });
    const batch = gateway.batch([1], other, { journal });
    const [row] = await world.mock.clock.settle(collect(batch));
    expect(row).toMatchObject({
      status: 'unknown',
      idempotencyKey: world.mock.invoice[0]?.idempotencyKey,
      error: { message: expect.stringContaining('its params differ from those in the journal') },
    });
    expect(journal.lines).toEqual(before);
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('keeps its key although the caller gives another one now', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const run = (key: string) => {
      const { gateway } = another(world);
      const describeRow = () => gateway.images.submission(image, { idempotencyKey: key });
      return world.mock.clock.settle(collect(gateway.batch([1], describeRow, { journal })));
    };
    await run('first');
    journal.lines.splice(2);
    expect((await run('second'))[0]?.status).toBe('succeeded');
    expect(world.mock.invoice).toMatchObject([{ idempotencyKey: 'first' }]);
  });
});

describe('a row that was refused', () => {
  test('may be asked again: with its key, or with other params under another', async () => {
    const world = onMock();
    const journal = memoryJournal();
    world.mock.fail({ route: submits, status: 400, times: 2 });
    const [first] = await draw(world, ['a'], { journal, id: () => 'row' });
    const [second] = await draw(another(world), ['a'], { journal, id: () => 'row' });
    expect([first?.status, second?.status]).toEqual(['failed', 'failed']);
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    const [third] = await draw(another(world), ['b'], { journal, id: () => 'row' });
    expect(third?.status).toBe('succeeded');
    expect(third?.idempotencyKey).not.toBe(first?.idempotencyKey);
    const [fourth] = await draw(another(world), ['b'], { journal, id: () => 'row' });
    expect(fourth?.task?.id).toBe(third?.task?.id);
    const [fifth] = await draw(another(world), ['a'], { journal, id: () => 'row' });
    expect(fifth?.error?.message).toContain('its params differ from those in the journal');
    expect(world.mock.invoice).toHaveLength(1);
    expect(typesIn(journal).join(' ')).toBe(
      'run submit refused submit refused submit accepted finished finished',
    );
  });

  test('by its own process is open while another process has begun it', async () => {
    const world = onMock();
    const journal = memoryJournal();
    world.mock.fail({ route: submits, status: 400, times: 1 });
    await draw(world, [1], { journal });
    const submit = journal.lines[1] ?? '';
    journal.lines.splice(1, 0, submit);
    const { gateway } = another(world);
    const other = () => gateway.images.submission({ ...image, prompt: 'Something else' });
    const batch = gateway.batch([1], other, { journal });
    const [row] = await world.mock.clock.settle(collect(batch));
    expect(row?.status).toBe('unknown');
    expect(world.mock.invoice).toEqual([]);
  });

  test('by the budget is free, and fits once the budget does', async () => {
    const world = onMock({}, { budget: { maxUsd: 0 } });
    const journal = memoryJournal();
    const [row] = await draw(world, [1], { journal });
    expect(row).toMatchObject({ status: 'failed', error: expect.any(BudgetExceededError) });
    const [again] = await draw(another(world), [1], { journal });
    expect(again?.status).toBe('succeeded');
  });
});
