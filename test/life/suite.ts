import * as fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';

import { damageKinds } from './damage.ts';
import type { Damage } from './damage.ts';
import { clean, yearMs } from './driver.ts';
import type { Driver, Run } from './driver.ts';
import { play } from './play.ts';

const seed = Number(process.env.POLYGATE_SEED ?? 1);

const fates = [
  'accepted',
  'lost-before',
  'lost-after',
  'named',
  'stranger',
  'unpaid',
  'invalid',
  'outage',
] as const;
const deaths = ['torn', 'recorded', 'in-flight', 'accepted', 'polled'] as const;
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
  damage: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.record<Damage>({ kind: fc.constantFrom(...damageKinds), at: fc.nat(5_000) }),
  ),
});
function prepare(): void {
  beforeAll(() => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.spyOn(console, 'warn').mockReturnValue();
  });
}

/** Plays random runs, with a crash between any two events, and judges them by the invoice. */
export function testLife(driver: Driver, count: number): void {
  prepare();

  test(`${driver.name} pays once for each task, and forgets none (POLYGATE_SEED=${seed})`, async () => {
    const property = fc.asyncProperty(fc.array(runs, { minLength: 1, maxLength: 5 }), (all) =>
      play(driver, all),
    );
    const result = await fc.check(property, { seed, numRuns: count, includeErrorInReport: true });
    expect(result.failed ? fc.defaultReportMessage(result) : undefined).toBeUndefined();
  });
}

/** Plays runs that random ones seldom are. */
export function testSequence(driver: Driver, title: string, all: readonly Partial<Run>[]): void {
  prepare();
  test(`${driver.name}: ${title}`, async () => {
    const runsOf = all.map((run) => ({ ...clean, params: 0, ...run }));
    await expect(play(driver, runsOf)).resolves.toBeUndefined();
  });
}
