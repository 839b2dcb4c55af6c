import * as fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';

import { turns } from '../support/turns.ts';
import type { Driver, Ending, Run, World } from './driver.ts';

const seed = Number(process.env.POLYGATE_SEED ?? 1);

const fates = ['accepted', 'lost-before', 'lost-after', 'unpaid', 'invalid', 'outage'] as const;
const deaths = ['torn', 'recorded', 'in-flight', 'accepted', 'polled'] as const;
const yearMs = 365 * 86_400_000;
const runs = fc.record<Run>({
  params: fc.nat(1),
  fate: fc.oneof(fc.constant('accepted' as const), fc.constantFrom(...fates)),
  death: fc.oneof(
    { weight: 3, arbitrary: fc.constant('never' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...deaths) },
  ),
  isSlow: fc.boolean(),
  isTwin: fc.boolean(),
  isFull: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  room: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 3 })),
  jumpMs: fc.constantFrom(0, -yearMs, yearMs),
});
const clean = {
  fate: 'accepted',
  death: 'never',
  isSlow: false,
  isFull: false,
  jumpMs: yearMs,
} as const;

/** Plays random runs, with a crash between any two events, and judges them by the invoice. */
export function testLife(driver: Driver, count: number): void {
  beforeAll(() => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.spyOn(console, 'warn').mockReturnValue();
  });

  test(`${driver.name} pays once for each task, and forgets none (POLYGATE_SEED=${seed})`, async () => {
    const property = fc.asyncProperty(
      fc.array(runs, { minLength: 1, maxLength: 5 }),
      async (all) => {
        const world = driver.open();
        try {
          await play(driver, world, all);
        } finally {
          await world.close?.();
        }
      },
    );
    const result = await fc.check(property, { seed, numRuns: count, includeErrorInReport: true });
    expect(result.failed ? fc.defaultReportMessage(result) : undefined).toBeUndefined();
  });
}

async function play(driver: Driver, world: World, all: readonly Run[]): Promise<void> {
  const delivered = new Set<string>();
  const check = driver.check ?? checkTask;
  const note = (run: Run | undefined, ending: Ending | undefined) => {
    check(world, run, ending);
    if (typeof ending === 'object') delivered.add(ending.taskId);
  };
  const settle = world.settle ?? (() => turns(30));
  let release = (): void => undefined;
  let slow: { run: Run; ending: Promise<Ending> } | undefined;
  for (const run of all) {
    const { length } = world.mock.requests;
    let free = (): void => undefined;
    const held = run.isSlow ? new Promise<void>((resolve) => (free = resolve)) : Promise.resolve();
    const ending = world.start(run, held);
    if (run.isSlow ? !run.isTwin : slow !== undefined) await settle();
    release();
    const before = await slow?.ending;
    note(slow?.run, before);
    release = free;
    slow = { run, ending };
    if (run.isSlow) continue;
    const ended = await ending;
    note(run, ended);
    const isAlone = before === undefined;
    const posts = world.mock.requests.slice(length).filter(({ method }) => method === 'POST');
    if (isAlone && ended === 'refused') expect(posts).toEqual([]);
    if (isAlone && run.isFull && driver.needsStorage) {
      const stored = await world.stored();
      const unknown = posts.filter(
        ({ headers: { 'x-idempotency-key': key = '' } }) => !key || !stored.includes(key),
      );
      expect(unknown, 'nothing is sent under a key that is not stored').toEqual([]);
    }
    slow = undefined;
  }
  release();
  note(slow?.run, await slow?.ending);

  // Whatever has happened, a later process gets what was paid for, and pays for nothing twice.
  const stored = await world.stored();
  const canForget = !driver.needsStorage && all.some(({ isFull }) => isFull);
  for (const { taskId = '', idempotencyKey = '' } of canForget ? [] : world.mock.invoice) {
    expect(delivered.has(taskId) || stored.includes(idempotencyKey), 'it was forgotten').toBe(true);
  }
  const endings: Ending[] = [];
  for (const params of [0, 1]) {
    const ended = await world.start({ ...clean, params }, Promise.resolve());
    check(world, { ...clean, params }, ended);
    endings.push(ended);
  }
  expect(endings, 'nothing prevents a clean run but the params of another one').not.toContain(
    'failed',
  );
  // Runs at the same time can record both params, a chat can be lost, and a task in its place on a page is resumed.
  if (driver.check || !driver.needsStorage || all.some(({ isSlow }) => isSlow)) return;
  expect(endings, 'one of the params can be continued').not.toEqual(['refused', 'refused']);
}

/** No key is charged twice, and the result of a run is a task that was paid for. */
function checkTask({ mock }: World, run: Run | undefined, ending: Ending | undefined): void {
  if (mock.invoice.length > 0) mock.assertPaidOnce();
  if (run === undefined || typeof ending !== 'object') return;
  const paid = mock.invoice.find(({ taskId }) => taskId === ending.taskId);
  expect(paid).toBeDefined();
  expect(mock.tasks.find(({ id }) => id === ending.taskId)?.prompt).toBe(`A harbor ${run.params}`);
}
