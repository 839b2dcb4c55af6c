import { describe, expect, test } from 'vitest';

import { AbortedError, ConfigurationError, Polygate } from '../../../src/index.ts';
import type { Journal, PolygateOptions } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { caught, coded, onMock } from '../support.ts';
import { runImageBatch, describeImage, memoryJournal, numbers, lineTypes } from './support.ts';

const submits = 'POST /v1/images/tasks';

/** The results of `recover` in another process. */
function recovered(
  { mock }: ReturnType<typeof onMock>,
  journal: Journal,
  options?: PolygateOptions,
) {
  const { apiKey, baseURL, fetch, clock } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off', ...options });
  return mock.clock.settle(collect(gateway.recover(journal)));
}

/** A batch whose process ended while processing result number `taken`. */
async function abandoned(taken: number, storeParams = false) {
  const world = onMock({ tasks: { durationMs: ({ number }) => number * 100_000 } });
  const journal = memoryJournal([], { storeParams });
  const consume = async () => {
    let left = taken;
    for await (const _ of world.gateway.batch(numbers(5), describeImage(world.gateway), {
      journal,
    })) {
      left -= 1;
      if (left === 0) break;
    }
  };
  await world.mock.clock.settle(consume());
  return { ...world, journal };
}

describe('recover()', () => {
  test('waits for the tasks of rows whose results were not taken, and for no others', async () => {
    const world = await abandoned(3);
    // The process ended while processing the third result, and may not have used it.
    const rows = await recovered(world, world.journal);
    expect(rows.map(({ id }) => id)).toEqual(['2', '3', '4']);
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(world.mock.invoice).toHaveLength(5);
    expect(await recovered(world, world.journal)).toEqual([]);
  });

  test('yields nothing for an empty journal and writes nothing to it', async () => {
    const world = onMock();
    const journal = memoryJournal();
    expect(await recovered(world, journal)).toEqual([]);
    expect(journal.lines).toEqual([]);
  });

  test.each([
    ['resubmits rows if their params are stored', true],
    ['yields rows as unknown, with their keys, if their params are not stored', false],
  ])('%s', async (_, storeParams) => {
    const world = onMock({ tasks: { durationMs: 1_000 } }, { maxRetries: 0 });
    const journal = memoryJournal([], { storeParams });
    const drop = world.mock.fail({ route: submits, reset: 'after' });
    await runImageBatch(world, numbers(3), { journal });
    drop.remove();
    const keyOf = ({ idempotencyKey }: { idempotencyKey?: string | undefined }) =>
      String(idempotencyKey);
    const keys = world.mock.invoice.map(keyOf);
    const rows = await recovered(world, journal);
    expect(rows.map(keyOf).toSorted()).toEqual(keys.toSorted());
    for (const { status, error } of rows) {
      expect(status).toBe(storeParams ? 'succeeded' : 'unknown');
      if (!storeParams)
        expect(error).toMatchObject({ outcome: 'unknown', name: 'ConnectionError' });
    }
    expect(world.mock.invoice).toHaveLength(3);
    const bodies = world.mock.requests.flatMap(({ method, body }) =>
      method === 'POST' ? [JSON.stringify(body)] : [],
    );
    expect(new Set(bodies).size).toBe(3);
  });

  test('does not treat a 400 as proof that nothing was charged', async () => {
    const world = onMock({}, { maxRetries: 0 });
    const journal = memoryJournal([], { storeParams: true });
    const drop = world.mock.fail({ route: submits, reset: 'after' });
    await runImageBatch(world, [1], { journal });
    drop.remove();
    const fault = world.mock.fail({ route: submits, status: 400 });
    const [row] = await recovered(world, journal);
    expect(row).toMatchObject({ status: 'unknown', error: { status: 400, outcome: 'unknown' } });
    expect(row?.error?.message).toContain('an earlier one of this row may have been');
    expect(row?.error?.message).not.toContain('Nothing was charged');
    fault.remove();
    expect((await recovered(world, journal))[0]?.status).toBe('succeeded');
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('does not send params that differ from those of the submit', async () => {
    const world = onMock({}, { maxRetries: 0 });
    const journal = memoryJournal([], { storeParams: true });
    world.mock.fail({ route: submits, reset: 'after', times: 1 });
    await runImageBatch(world, [1], { journal });
    journal.lines[1] = journal.lines[1]?.replace('Harbor', 'Storm') ?? '';
    const [row] = await recovered(world, journal);
    expect(row?.status).toBe('unknown');
    expect(world.mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('skips rejected rows, and yields failed tasks once', async () => {
    const outcome = 'failed';
    const world = onMock({ tasks: { outcome, durationMs: 1e7 } });
    const journal = memoryJournal();
    world.mock.fail({ route: submits, status: 400, attempt: 1 });
    await runImageBatch(world, numbers(2), { journal, waitTimeout: 1_000 });
    await world.mock.clock.advance(1e7);
    expect(await recovered(world, journal)).toMatchObject([{ id: '1', status: 'failed' }]);
    expect(await recovered(world, journal)).toEqual([]);
  });

  test('finds the task of one process even if another process was rejected', async () => {
    const world = onMock();
    const journal = memoryJournal();
    await runImageBatch(world, [1], { journal });
    const [run = '', submit = '', accepted = ''] = journal.lines;
    const refused = '{"v":1,"type":"refused","id":"0"}';
    for (const lines of [
      [run, submit, submit, accepted, refused],
      [run, submit, submit, refused, accepted],
      [run, accepted],
    ]) {
      const rows = await recovered(world, memoryJournal(lines));
      expect(rows).toMatchObject([{ id: '0', status: 'succeeded' }]);
      expect(rows[0]?.idempotencyKey).toBe(world.mock.invoice[0]?.idempotencyKey);
    }
  });

  test('yields damaged lines first, leaves them unchanged, and continues with the rest', async () => {
    const world = await abandoned(1);
    const { journal } = world;
    journal.lines.push('{"v":1,"type":"acc');
    const before = [...journal.lines];
    const [damaged, ...rows] = await recovered(world, journal);
    expect(damaged).toMatchObject({ id: '', status: 'unknown' });
    expect(damaged?.error).toBeInstanceOf(ConfigurationError);
    expect(damaged?.error?.message).toContain(
      `journal: line ${before.length} is damaged and was ignored`,
    );
    expect(rows).toHaveLength(5);
    expect(journal.lines.slice(0, before.length)).toEqual(before);
  });

  test('ends immediately when the signal aborts; the remaining rows can be recovered later', async () => {
    const world = await abandoned(2);
    const stop = new AbortController();
    const { gateway, journal, mock } = world;
    const rows = gateway.recover(journal, { signal: stop.signal });
    await mock.clock.settle(rows.next());
    const ended = caught(rows.next());
    stop.abort('enough');
    expect(await ended).toBeInstanceOf(AbortedError);
    expect(await recovered(world, journal)).toHaveLength(3);
  });

  test.each([
    ['while', false],
    ['before', true],
  ])('ends when the signal aborts %s a journal is read that hangs', async (_, isEarly) => {
    const { mock, gateway } = onMock();
    const stop = new AbortController();
    if (isEarly) stop.abort('enough');
    const read = async function* () {
      yield await new Promise<string>(() => undefined);
    };
    const rows = gateway.recover(memoryJournal([], { read }), { signal: stop.signal });
    const ended = caught(rows.next());
    if (isEarly) await mock.clock.advance(1_000);
    else stop.abort('enough');
    expect(await ended).toMatchObject({
      name: 'AbortedError',
      cause: 'enough',
      outcome: 'unknown',
      message: expect.stringContaining('This recovery sent nothing'),
    });
  });

  test('yields a result again if the earlier process crashed while processing it', async () => {
    const { mock, gateway, journal } = await abandoned(5);
    const crash = async () => {
      for await (const _ of gateway.recover(journal)) throw new Error('crash');
    };
    await caught(mock.clock.settle(crash()));
    expect(await recovered({ mock, gateway }, journal)).toHaveLength(1);
    expect(lineTypes(journal).filter((type) => type === 'finished')).toHaveLength(5);
  });
});

test('recovered rows are submitted only as far as the budget covers their price', async () => {
  const world = onMock({ concurrencyLimit: 50 });
  const journal = memoryJournal([], { storeParams: true });
  // The process ends after the `submit` lines of 45 rows, before a request is sent.
  const { apiKey, baseURL, fetch, clock } = world.mock;
  const offline = new Polygate({
    apiKey,
    baseURL,
    clock,
    logLevel: 'off',
    maxRetries: 0,
    concurrency: 50,
    fetch: () => {
      throw new TypeError('fetch failed', { cause: coded('ECONNRESET') });
    },
  });
  await world.mock.clock.settle(
    collect(offline.batch(numbers(45), describeImage(offline), { journal })),
  );
  expect(lineTypes(journal).filter((type) => type === 'submit')).toHaveLength(45);

  const limited = new Polygate({
    apiKey,
    baseURL,
    fetch,
    clock,
    logLevel: 'off',
    budget: { maxUsd: 0.1 },
  });
  await limited.models.list();
  const rows = await world.mock.clock.settle(collect(limited.recover(journal)));
  expect(rows).toHaveLength(45);
  expect(world.mock.invoice).toHaveLength(5);
  expect(limited.spend.totalUsd).toBe(0.1);
  // An earlier process may have been charged for the others.
  expect(rows.filter(({ status }) => status === 'unknown')).toHaveLength(40);
});
