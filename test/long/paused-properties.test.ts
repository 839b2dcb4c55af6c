import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { AbortedError, PaymentRequiredError } from '../../src/index.ts';
import type { RecoveredRow, Journal } from '../../src/index.ts';
import type { MockGateway } from '../../src/mock/index.ts';
import { lostBody } from '../client/batch/lost-body.ts';
import {
  chargedKeys,
  describeImage,
  memoryJournal,
  newProcess,
  numbers,
  runImageBatch,
} from '../client/batch/support.ts';
import type { MemoryJournal } from '../client/batch/support.ts';
import { onMock } from '../client/support.ts';

/** Another seed and more runs explore further: `POLYGATE_SEED=$RANDOM POLYGATE_RUNS=10`. */
const seed = Number(process.env.POLYGATE_SEED ?? 1);
const numRuns = 400 * Number(process.env.POLYGATE_RUNS ?? 1);

const submits = 'POST /v1/images/tasks';
const imagePriceUsd = 0.02;
const never = new Promise<never>(() => undefined);

const attempt = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });

/** What can go wrong in a process that works on a batch. */
const processes = fc.record({
  /** How many images the balance is topped up for before it starts. */
  affordable: fc.integer({ min: 0, max: 6 }),
  concurrency: fc.constantFrom<number | 'auto'>('auto', 1, 2, 5),
  maxRetries: fc.constantFrom(0, 2),
  /** Runs `recover` in place of the batch. */
  recovers: fc.boolean(),
  /** Another process works on the same journal at the same time. */
  hasTwin: fc.boolean(),
  faults: fc.array(
    fc.oneof(
      fc.record({ reset: fc.constantFrom('before', 'after'), attempt }),
      fc.record({ status: fc.constantFrom(402, 429, 500, 503), attempt }),
      lostBody(attempt),
    ),
    { maxLength: 2 },
  ),
  /** How it ends before it is done: like SIGKILL, with `break`, or with an abort. */
  end: fc.oneof(
    fc.constant({}),
    fc.record({
      killAt: fc.record({
        call: fc.constantFrom('fetch', 'append'),
        number: fc.integer({ min: 1, max: 40 }),
        /** Whether the call still takes effect. */
        isDone: fc.boolean(),
      }),
    }),
    fc.record({ breakAfter: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ abortAfterMs: fc.integer({ min: 0, max: 5_000 }) }),
  ),
});

interface End {
  readonly killAt?: { call: string; number: number; isDone: boolean };
  readonly breakAfter?: number;
  readonly abortAfterMs?: number;
}

/** The connections of a process to the outside, which do nothing more once it is killed. */
function killable({ mock, journal }: { mock: MockGateway; journal: Journal }, { killAt }: End) {
  const calls = { fetch: 0, append: 0 };
  let isKilled = false;
  let kill = () => {};
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const guard = async <Result>(call: 'fetch' | 'append', take: () => Promise<Result>) => {
    calls[call] += 1;
    if (killAt?.call === call && killAt.number === calls[call]) {
      isKilled = true;
      kill();
      if (killAt.isDone) void take();
    }
    if (isKilled) return never;
    const result = await take();
    return isKilled ? never : result;
  };
  const fetch: typeof globalThis.fetch = (input, init) =>
    guard('fetch', () => mock.fetch(input, init));
  const append: Journal['append'] = (line) => guard('append', async () => journal.append(line));
  return { fetch, journal: { ...journal, append }, killed };
}

interface World {
  readonly mock: MockGateway;
  readonly journal: MemoryJournal;
  readonly rowCount: number;
}

/** Runs one process until it is done or ends early. */
async function runProcess(
  world: World,
  settings: { concurrency: number | 'auto'; maxRetries: number; recovers: boolean; end: End },
): Promise<void> {
  const { mock, rowCount } = world;
  const { breakAfter, abortAfterMs } = settings.end;
  const { concurrency, maxRetries, recovers } = settings;
  const { fetch, journal, killed } = killable(world, settings.end);
  const { gateway } = newProcess(world, { fetch, concurrency, maxRetries });
  const stop = new AbortController();
  if (abortAfterMs !== undefined) void mock.clock.sleep(abortAfterMs).then(() => stop.abort());
  const { signal } = stop;
  const rows: RecoveredRow[] = [];
  const consume = async () => {
    const results = recovers
      ? gateway.recover(journal, { signal })
      : gateway.batch(numbers(rowCount), describeImage(gateway), { journal, signal });
    try {
      for await (const row of results) if (rows.push(row) === breakAfter) break;
    } catch (error) {
      if (AbortedError.is(error) && signal.aborted) return;
      if (!PaymentRequiredError.is(error)) throw error;
      if (!recovers) expect(rows.length + Number(error.rowsOpen)).toBe(rowCount);
      const done = rows.filter(({ status }) => status !== 'unknown');
      expect(error.rowsDone).toBe(done.length);
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  };
  await mock.clock.settle(Promise.race([consume(), killed]));
}

test(`a batch whose balance runs out pays for each row once, whatever interrupts it (POLYGATE_SEED=${seed})`, async () => {
  const schedule = fc.record({
    rowCount: fc.integer({ min: 1, max: 20 }),
    storeParams: fc.boolean(),
    runs: fc.array(processes, { minLength: 1, maxLength: 4 }),
  });
  const property = fc.asyncProperty(schedule, async ({ rowCount, storeParams, runs }) => {
    const { mock } = onMock({ wallet: { usd: 0 }, latencyMs: 50, tasks: { durationMs: 1_000 } });
    const journal = memoryJournal([], { storeParams });
    const world = { mock, journal, rowCount };
    for (const { affordable, faults, hasTwin, ...settings } of runs) {
      mock.setBalance(mock.wallet.usd + affordable * imagePriceUsd);
      for (const fault of faults) mock.fail({ route: submits, ...fault });
      const twin = { ...settings, recovers: false, end: {} };
      await Promise.all([
        runProcess(world, settings),
        ...(hasTwin ? [runProcess(world, twin)] : []),
      ]);
      mock.clearFaults();
    }

    mock.setBalance(100);
    const rows = await runImageBatch(newProcess(world), numbers(rowCount), { journal });
    expect(rows.map(({ status }) => status)).toEqual(Array(rowCount).fill('succeeded'));
    expect(mock.invoice).toHaveLength(rowCount);
    expect(chargedKeys(mock).size).toBe(rowCount);
    const { length } = journal.lines;
    const again = await runImageBatch(newProcess(world), numbers(rowCount), { journal });
    expect(again).toHaveLength(rowCount);
    expect(journal.lines).toHaveLength(length);
  });
  await fc.assert(property, { seed, numRuns });
});
