import { expect } from 'vitest';

import { turns } from '../support/turns.ts';
import { clean, paramsOf } from './driver.ts';
import type { Driver, Ending, Run, World } from './driver.ts';

/** Plays runs in a world of their own, and judges them by the invoice. */
export async function play(driver: Driver, all: readonly Run[]): Promise<void> {
  const world = driver.open();
  try {
    const hasRaces = driver.hasRaces === true && all.some(({ isSlow }) => isSlow);
    await playAll({ driver, world, hasRaces, delivered: new Set(), isDamaged: false }, all);
  } finally {
    await world.close?.();
  }
}

/** One sequence of runs in one world. */
interface Sequence {
  readonly driver: Driver;
  readonly world: World;
  readonly hasRaces: boolean;
  /** The tasks whose results a run has returned. */
  readonly delivered: Set<string>;
  isDamaged: boolean;
}

async function playAll(sequence: Sequence, all: readonly Run[]): Promise<void> {
  const world = sequence.world;
  const driver = sequence.driver;
  const settle = world.settle ?? (() => turns(30));
  let release = (): void => undefined;
  let slow: { run: Run; ending: Promise<Ending> } | undefined;
  for (const run of all) {
    const { length } = world.mock.requests;
    if (run.damage && (await world.damage(run.damage))) sequence.isDamaged = true;
    let free = (): void => undefined;
    const held = run.isSlow ? new Promise<void>((resolve) => (free = resolve)) : Promise.resolve();
    const ending = startAndJudge(sequence, run, held);
    if (run.isSlow ? !run.isTwin : slow !== undefined) await settle();
    release();
    const before = await slow?.ending;
    if (slow) note(sequence, slow.run, before);
    const isAlone = !run.isSlow && slow === undefined;
    release = free;
    slow = { run, ending };
    if (run.isSlow) continue;
    const ended = await ending;
    note(sequence, run, ended);
    // Runs at the same time do not know what the other one has sent.
    if (isAlone && ended === 'free') checkFree(sequence, run.params);
    const posts = world.mock.requests.slice(length).filter(({ method }) => method === 'POST');
    if (isAlone && ended === 'refused') expect(posts).toEqual([]);
    if (isAlone && run.isFull && driver.needsStorage && !sequence.isDamaged) {
      const stored = await world.stored();
      const unknown = posts.filter(
        ({ headers: { 'x-idempotency-key': key = '' } }) => !key || !stored.includes(key),
      );
      expect(unknown, 'nothing is sent under a key that is not stored').toEqual([]);
    }
    slow = undefined;
  }
  release();
  if (slow) note(sequence, slow.run, await slow.ending);
  await endAll(sequence, all);
}

/** Whatever has happened, a later process gets what was paid for, and pays for nothing twice. */
async function endAll(sequence: Sequence, all: readonly Run[]): Promise<void> {
  const world = sequence.world;
  const { needsStorage, check } = sequence.driver;
  const stored = await world.stored();
  const canForget = !needsStorage && all.some(({ isFull }) => isFull);
  for (const { taskId = '', idempotencyKey = '' } of world.mock.invoice) {
    const isKept = sequence.delivered.has(taskId) || stored.includes(idempotencyKey);
    expect(isKept || canForget || sequence.isDamaged, 'it was forgotten').toBe(true);
  }
  const endings: Ending[] = [];
  for (const params of [0, 1]) {
    const ended = await world.start({ ...clean, params }, Promise.resolve());
    note(sequence, { ...clean, params }, ended);
    if (ended === 'free') checkFree(sequence, params);
    endings.push(ended);
  }
  if (!needsStorage && !canForget) checkPlaces(sequence);
  if (sequence.isDamaged) return;
  expect(endings, 'nothing prevents a clean run but the params of another one').toEqual(
    endings.filter((ending) => ending !== 'failed' && ending !== 'free'),
  );
  // Runs at the same time can record both params, a chat can be lost, and a task in its place on a page is resumed.
  if (check || !needsStorage || all.some(({ isSlow }) => isSlow)) return;
  expect(endings, 'one of the params can be continued').not.toEqual(['refused', 'refused']);
}

/** Runs a program. If its ending is that of all runs, judges it at once, because the next run can be charged. */
async function startAndJudge(sequence: Sequence, run: Run, held: Promise<void>): Promise<Ending> {
  const ending = await sequence.world.start(run, held);
  if (sequence.driver.isShared && ending === 'free') checkFree(sequence, run.params);
  return ending;
}

/** Judges the invoice after a run. */
function note(sequence: Sequence, run: Run, ending: Ending | undefined): void {
  const { mock } = sequence.world;
  const { check, needsStorage } = sequence.driver;
  if (check) check(sequence.world);
  else if (mock.invoice.length > 0) mock.assertPaidOnce();
  // A key stands for one task for ever.
  if (needsStorage && !sequence.hasRaces) {
    for (const params of [0, 1]) expect(chargesOf(sequence, params).length).toBeLessThan(2);
  }
  if (typeof ending !== 'object') return;
  const { taskId } = ending;
  sequence.delivered.add(taskId);
  if (check) expect(mock.invoice).toHaveLength(1);
  else expect(mock.invoice.some((line) => line.taskId === taskId)).toBe(true);
  // A damaged entry may not say which params it has.
  if (sequence.isDamaged) return;
  const paid = chargesOf(sequence, run.params);
  expect(check ? paid.length === 1 : paid.some((line) => line.taskId === taskId)).toBe(true);
}

/** A run says that nothing was charged. In a place, that says nothing about results which it has shown before. */
function checkFree(sequence: Sequence, params: number): void {
  const charges = chargesOf(sequence, params).filter(
    ({ taskId = '' }) => sequence.driver.needsStorage || !sequence.delivered.has(taskId),
  );
  expect(charges, 'it says that nothing was charged').toEqual([]);
}

/** The charges for the params of a run. */
function chargesOf(sequence: Sequence, params: number) {
  const { invoice, requests } = sequence.world.mock;
  const ids = requests
    .filter(({ body }) => JSON.stringify(body ?? '').includes(paramsOf(params).prompt))
    .map(({ requestId }) => requestId);
  return invoice.filter(({ requestId }) => ids.includes(requestId));
}

/** In a place, no request follows one that was paid for and whose result no one has. */
function checkPlaces(sequence: Sequence): void {
  const { invoice, requests } = sequence.world.mock;
  for (const { taskId = '', requestId, idempotencyKey } of invoice) {
    if (sequence.delivered.has(taskId)) continue;
    const later = requests
      .slice(requests.findIndex((request) => request.requestId === requestId))
      .filter(({ method, headers }) => {
        return method === 'POST' && headers['x-idempotency-key'] !== idempotencyKey;
      });
    expect(later, 'it was paid for and abandoned').toEqual([]);
  }
}
