import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import type { RecoveredRow, RecoverOptions } from '../../../src/index.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { describeImage, memoryJournal, newProcess } from './support.ts';

type World = ReturnType<typeof onMock>;
type Start = (world: World, options: RecoverOptions) => AsyncIterable<RecoveredRow>;

const ids = ['done', 'also done', 'running', 'sent', 'waiting'];

/** Rows that are in different states five seconds later. */
function startRows({ mock, gateway }: World, options: object = {}) {
  const describeRow = async (row: string) => {
    if (row === 'running') await mock.clock.sleep(4_000);
    if (row === 'sent') {
      await mock.clock.sleep(4_500);
      mock.fail({ route: 'POST /v1/images/tasks', stallHeaders: true });
    }
    if (row === 'waiting') await mock.clock.sleep(1e9);
    return describeImage(gateway)(row);
  };
  return gateway.batch(ids, describeRow, { id: (row) => row, ...options });
}

/** Aborts five seconds after the first result, and reads on to the error. */
async function abortLate(world: World, start: Start) {
  const { clock } = world.mock;
  const stop = new AbortController();
  const results: RecoveredRow[] = [];
  const consume = async () => {
    for await (const row of start(world, { signal: stop.signal })) {
      results.push(row);
      if (results.length > 1) continue;
      await clock.sleep(5_000 - 1_900);
      stop.abort(new Error('enough'));
    }
  };
  const error = await clock.settle(rejection(AbortedError, consume()));
  return { results, rows: error.rows ?? [], error };
}

const abortedRows = [
  {
    id: 'running',
    outcome: 'unknown',
    task: { kind: 'image' },
    idempotencyKey: expect.any(String),
  },
  { id: 'sent', outcome: 'unknown', task: undefined, idempotencyKey: expect.any(String) },
  { id: 'waiting', outcome: 'not-sent', task: undefined },
];

describe('an aborted batch', () => {
  test('yields the rows that have finished, and its error has the others', async () => {
    const world = onMock({ tasks: { durationMs: 1_500 } });
    const { results, rows, error } = await abortLate(world, startRows);
    expect(results).toMatchObject([
      { id: 'done', status: 'succeeded' },
      { id: 'also done', status: 'succeeded' },
    ]);
    expect(rows).toMatchObject(abortedRows);
    expect(rows[0]?.task?.id).toBe(world.mock.tasks[2]?.id);
    expect(error).toMatchObject({ cause: new Error('enough'), outcome: 'unknown' });
    expect(error.message).toContain('Rows without a result: 3. Of these, 2 may have been charged');
  });

  test('has the rows that were cut short in its error, even if the caller reads on later', async () => {
    const world = onMock({ tasks: { durationMs: 1_500 } });
    const { clock } = world.mock;
    const stop = new AbortController();
    const results: RecoveredRow[] = [];
    const consume = async () => {
      for await (const row of startRows(world, { signal: stop.signal })) {
        results.push(row);
        if (results.length > 1) continue;
        await clock.sleep(5_000 - 1_900);
        stop.abort();
        await clock.sleep(1_000);
      }
    };
    const { rows } = await clock.settle(rejection(AbortedError, consume()));
    expect(results.map(({ id }) => id)).toEqual(['done', 'also done']);
    expect(rows).toMatchObject(abortedRows);
  });

  test('pays for no row twice when its rows are continued with their tasks and keys', async () => {
    const world = onMock({ tasks: { durationMs: 1_500 } });
    const { mock } = world;
    const { rows } = await abortLate(world, startRows);
    mock.clearFaults();
    const { gateway } = newProcess(world);
    for (const { id, task, idempotencyKey } of rows) {
      const send = async () => (await describeImage(gateway)(id).send({ idempotencyKey })).wait();
      expect((await mock.clock.settle(task?.wait() ?? send())).status).toBe('succeeded');
    }
    expect(mock.invoice).toHaveLength(ids.length);
  });

  test('says that a row was not sent while the request waits for a slot or was rejected', async () => {
    const world = onMock({ tasks: { durationMs: 1e6 }, concurrencyLimit: 1 });
    const { mock, gateway } = world;
    mock.fail({ route: 'POST /v1/images/tasks', status: 429, code: 'concurrency_limit_exceeded' });
    const stop = new AbortController();
    const { signal } = stop;
    const batch = gateway.batch(['a', 'b', 'c'], describeImage(gateway), { signal });
    const ended = rejection(AbortedError, batch.next());
    await mock.clock.advance(60_000);
    stop.abort();
    const { rows, message, outcome } = await ended;
    expect(rows?.map((row) => row.outcome)).toEqual(['not-sent', 'not-sent', 'not-sent']);
    expect([message, outcome]).toEqual([
      'Aborted by the caller. Rows without a result: 3. None of them was sent.',
      'not-sent',
    ]);
    expect(mock.invoice).toEqual([]);
  });

  test('says that a row was not sent if a 402 has rejected it', async () => {
    const { mock, gateway } = onMock({ wallet: { usd: 0.02 }, tasks: { durationMs: 60_000 } });
    const stop = new AbortController();
    const { signal } = stop;
    const batch = gateway.batch(['a', 'b', 'c'], describeImage(gateway), { signal });
    const ended = rejection(AbortedError, batch.next());
    await mock.clock.advance(10_000);
    stop.abort();
    const { rows, message } = await ended;
    expect(rows?.map((row) => row.outcome)).toEqual(['unknown', 'not-sent', 'not-sent']);
    expect(message).toContain('Rows without a result: 3. Of these, 1 may have been charged');
    expect(mock.invoice).toHaveLength(1);
  });

  test('says that a row may have been charged if an earlier run sent it', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const first = await abortLate(world, (_, options) => startRows(world, { ...options, journal }));
    const later = newProcess(world);
    const stop = new AbortController();
    const { signal } = stop;
    const hang = () => new Promise<never>(() => undefined);
    const options = { journal, signal, id: (row: string) => row };
    const ended = rejection(AbortedError, later.gateway.batch(['sent'], hang, options).next());
    await world.mock.clock.advance(1_000);
    stop.abort();
    const { rows } = await ended;
    expect(rows).toMatchObject([{ id: 'sent', outcome: 'unknown' }]);
    expect(rows?.[0]?.idempotencyKey).toBe(first.rows[1]?.idempotencyKey);
  });
});

test('the error of an aborted recovery has the tasks of its rows', async () => {
  const world = onMock({ tasks: { durationMs: 60_000 } });
  const { mock, gateway } = world;
  const journal = memoryJournal();
  const results: string[] = [];
  const consume = async (batch: AsyncIterable<RecoveredRow>) => {
    for await (const { id } of batch) results.push(id);
  };
  const start = (run: (signal: AbortSignal) => AsyncIterable<RecoveredRow>) => {
    const stop = new AbortController();
    void mock.clock.sleep(10_000).then(() => stop.abort());
    return mock.clock.settle(rejection(AbortedError, consume(run(stop.signal))));
  };
  await start((signal) =>
    gateway.batch(['a', 'b'], describeImage(gateway), { journal, signal, id: (row) => row }),
  );
  const later = newProcess(world);
  const { rows } = await start((signal) => later.gateway.recover(journal, { signal }));
  expect(rows).toMatchObject([
    { id: 'a', outcome: 'unknown', task: { id: mock.tasks[0]?.id } },
    { id: 'b', outcome: 'unknown', task: { id: mock.tasks[1]?.id } },
  ]);
  expect(results).toEqual([]);
});

test.each([
  ['before it starts', 0],
  ['between two damaged lines', 1],
])('the error of a recovery that is aborted %s has all of its rows', async (_, damaged) => {
  const world = onMock({ tasks: { durationMs: 60_000 } });
  const journal = memoryJournal();
  await abortLate(world, (_world, options) => startRows(world, { ...options, journal }));
  journal.lines.push(...Array.from({ length: 2 * damaged }, () => 'damaged'));
  const stop = new AbortController();
  if (damaged === 0) stop.abort();
  const { signal } = stop;
  const results: string[] = [];
  const consume = async () => {
    for await (const { id } of newProcess(world).gateway.recover(journal, { signal })) {
      results.push(id);
      stop.abort();
    }
  };
  const { rows = [], outcome, message } = await rejection(AbortedError, consume());
  expect(results).toHaveLength(2 * damaged);
  expect(rows.map(({ id }) => id)).toEqual(['running', 'sent']);
  expect(rows.map((row) => row.outcome)).toEqual(['unknown', 'unknown']);
  expect(outcome).toBe('unknown');
  expect(message).toContain('Rows without a result: 2. Of these, 2 may have been charged');
});

test('a batch that is aborted before it reads a row of an earlier run says that it may have been charged', async () => {
  const world = onMock();
  const journal = memoryJournal();
  const id = (row: string) => row;
  const { gateway } = newProcess(world, { maxRetries: 0 });
  const drop = world.mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
  const lost = gateway.batch(['lost'], describeImage(gateway), { journal, id });
  await world.mock.clock.settle(collect(lost));
  drop.remove();
  const stop = new AbortController();
  const options = { journal, id, signal: stop.signal, maxInFlight: 1 };
  const hang = () => new Promise<never>(() => undefined);
  const ended = rejection(AbortedError, gateway.batch(['new', 'lost'], hang, options).next());
  await world.mock.clock.advance(1_000);
  stop.abort();
  const { rows, outcome, message } = await ended;
  expect(rows).toMatchObject([{ id: 'new', outcome: 'not-sent' }]);
  expect(outcome).toBe('unknown');
  expect(message).toContain('An earlier run may have been charged for rows that were not read.');
});

test('a batch whose last line cannot be appended ends when the signal aborts', async () => {
  const { mock, gateway } = onMock();
  const stop = new AbortController();
  const journal = memoryJournal();
  const append = (line: string) =>
    line.includes('"finished"') ? new Promise<never>(() => undefined) : journal.append(line);
  const options = { journal: { ...journal, append }, signal: stop.signal };
  const batch = gateway.batch(['a'], describeImage(gateway), options);
  expect((await mock.clock.settle(batch.next())).value).toMatchObject({ status: 'succeeded' });
  const ended = rejection(AbortedError, batch.next());
  await mock.clock.advance(1_000);
  stop.abort();
  expect(await ended).toMatchObject({ rows: [] });
});

test('a batch that is aborted after its last result says that every row has one', async () => {
  const { mock, gateway } = onMock();
  const stop = new AbortController();
  const batch = gateway.batch(['a'], describeImage(gateway), { signal: stop.signal });
  const results: unknown[] = [];
  const consume = async () => {
    for await (const { status } of batch) {
      results.push(status);
      stop.abort();
    }
  };
  const error = await mock.clock.settle(rejection(AbortedError, consume()));
  expect(results).toEqual(['succeeded']);
  expect(error).toMatchObject({
    rows: [],
    message: 'Aborted by the caller. Every row that was read has a result.',
  });
});

test('a batch that is continued after an abort pays for each row once', async () => {
  const world = onMock({ tasks: { durationMs: 1_500 } });
  const { mock } = world;
  const journal = memoryJournal();
  await abortLate(world, (_, options) => startRows(world, { ...options, journal }));
  mock.clearFaults();
  const later = newProcess(world);
  const options = { journal, id: (row: string) => row };
  const batch = later.gateway.batch(ids, describeImage(later.gateway), options);
  const results = await mock.clock.settle(collect(batch));
  expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
  expect(mock.invoice).toHaveLength(ids.length);
});
