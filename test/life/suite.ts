import * as fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';

import { turns } from '../support/turns.ts';
import { damageKinds } from './damage.ts';
import type { Damage } from './damage.ts';
import { paramsOf } from './driver.ts';
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
  damage: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.record<Damage>({ kind: fc.constantFrom(...damageKinds), at: fc.nat(5_000) }),
  ),
});
const clean = {
  fate: 'accepted',
  death: 'never',
  isSlow: false,
  isFull: false,
  jumpMs: yearMs,
} as const;

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
  test(title, () =>
    play(
      driver,
      all.map((run) => ({ ...clean, params: 0, ...run })),
    ),
  );
}

async function play(driver: Driver, all: readonly Run[]): Promise<void> {
  const world = driver.open();
  try {
    await new Play(driver, world).all(all);
  } finally {
    await world.close?.();
  }
}

/** One sequence of runs in one world. */
export class Play {
  readonly #driver: Driver;
  readonly #world: World;
  readonly #delivered = new Set<string>();
  #isDamaged = false;

  constructor(driver: Driver, world: World) {
    this.#driver = driver;
    this.#world = world;
  }

  async all(all: readonly Run[]): Promise<void> {
    const world = this.#world;
    const driver = this.#driver;
    const settle = world.settle ?? (() => turns(30));
    let release = (): void => undefined;
    let slow: { run: Run; ending: Promise<Ending> } | undefined;
    for (const run of all) {
      const { length } = world.mock.requests;
      if (run.damage && (await world.damage(run.damage))) this.#isDamaged = true;
      let free = (): void => undefined;
      const held = run.isSlow
        ? new Promise<void>((resolve) => (free = resolve))
        : Promise.resolve();
      const ending = world.start(run, held);
      if (run.isSlow ? !run.isTwin : slow !== undefined) await settle();
      release();
      const before = await slow?.ending;
      if (slow) this.#note(slow.run, before);
      const isAlone = !run.isSlow && slow === undefined;
      release = free;
      slow = { run, ending };
      if (run.isSlow) continue;
      const ended = await ending;
      this.#note(run, ended);
      // Runs at the same time do not know what the other one has sent.
      if (isAlone && ended === 'free') this.#checkFree(run.params);
      const posts = world.mock.requests.slice(length).filter(({ method }) => method === 'POST');
      if (isAlone && ended === 'refused') expect(posts).toEqual([]);
      if (isAlone && run.isFull && driver.needsStorage && !this.#isDamaged) {
        const stored = await world.stored();
        const unknown = posts.filter(
          ({ headers: { 'x-idempotency-key': key = '' } }) => !key || !stored.includes(key),
        );
        expect(unknown, 'nothing is sent under a key that is not stored').toEqual([]);
      }
      slow = undefined;
    }
    release();
    if (slow) this.#note(slow.run, await slow.ending);
    await this.#end(all);
  }

  /** Whatever has happened, a later process gets what was paid for, and pays for nothing twice. */
  async #end(all: readonly Run[]): Promise<void> {
    const world = this.#world;
    const { needsStorage, check } = this.#driver;
    const stored = await world.stored();
    const canForget = !needsStorage && all.some(({ isFull }) => isFull);
    for (const { taskId = '', idempotencyKey = '' } of world.mock.invoice) {
      const isKept = this.#delivered.has(taskId) || stored.includes(idempotencyKey);
      expect(isKept || canForget || this.#isDamaged, 'it was forgotten').toBe(true);
    }
    const endings: Ending[] = [];
    for (const params of [0, 1]) {
      const ended = await world.start({ ...clean, params }, Promise.resolve());
      this.#note({ ...clean, params }, ended);
      if (ended === 'free') this.#checkFree(params);
      endings.push(ended);
    }
    if (!needsStorage && !canForget) this.#checkPlaces();
    if (this.#isDamaged) return;
    expect(endings, 'nothing prevents a clean run but the params of another one').toEqual(
      endings.filter((ending) => ending !== 'failed' && ending !== 'free'),
    );
    // Runs at the same time can record both params, a chat can be lost, and a task in its place on a page is resumed.
    if (check || !needsStorage || all.some(({ isSlow }) => isSlow)) return;
    expect(endings, 'one of the params can be continued').not.toEqual(['refused', 'refused']);
  }

  /** Judges the invoice after a run. */
  #note(run: Run, ending: Ending | undefined): void {
    const { mock } = this.#world;
    const { check, needsStorage, isShared } = this.#driver;
    if (isShared && ending === 'free') this.#checkFree(run.params);
    if (check) check(this.#world);
    else if (mock.invoice.length > 0) mock.assertPaidOnce();
    // A key stands for one task for ever.
    if (needsStorage) {
      for (const params of [0, 1]) expect(this.#chargesOf(params).length).toBeLessThan(2);
    }
    if (typeof ending !== 'object') return;
    const { taskId } = ending;
    this.#delivered.add(taskId);
    if (check) expect(mock.invoice).toHaveLength(1);
    else expect(mock.invoice.some((line) => line.taskId === taskId)).toBe(true);
    // A damaged entry may not say which params it has.
    if (this.#isDamaged) return;
    const paid = this.#chargesOf(run.params);
    expect(check ? paid.length === 1 : paid.some((line) => line.taskId === taskId)).toBe(true);
  }

  /** A run says that nothing was charged. In a place, that says nothing about results which it has shown before. */
  #checkFree(params: number): void {
    const charges = this.#chargesOf(params).filter(
      ({ taskId = '' }) => this.#driver.needsStorage || !this.#delivered.has(taskId),
    );
    expect(charges, 'it says that nothing was charged').toEqual([]);
  }

  /** The charges for the params of a run. */
  #chargesOf(params: number) {
    const { invoice, requests } = this.#world.mock;
    const ids = requests
      .filter(({ body }) => JSON.stringify(body ?? '').includes(paramsOf(params).prompt))
      .map(({ requestId }) => requestId);
    return invoice.filter(({ requestId }) => ids.includes(requestId));
  }

  /** In a place, no request follows one that was paid for and whose result no one has. */
  #checkPlaces(): void {
    const { invoice, requests } = this.#world.mock;
    for (const { taskId = '', requestId, idempotencyKey } of invoice) {
      if (this.#delivered.has(taskId)) continue;
      const later = requests
        .slice(requests.findIndex((request) => request.requestId === requestId))
        .filter(({ method, headers }) => {
          return method === 'POST' && headers['x-idempotency-key'] !== idempotencyKey;
        });
      expect(later, 'it was paid for and abandoned').toEqual([]);
    }
  }
}
