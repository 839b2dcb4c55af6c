import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'vitest';

import { AbortedError, ConfigurationError } from '../../../src/index.ts';
import type { InvoiceLine } from '../../../src/mock/index.ts';
import type { Schedule } from './schedule.ts';
import { failureOf, keyOf, listeners, play, submits } from './world.ts';
import type { Ended, World } from './world.ts';

/** Plays a schedule and holds the client to every promise about money. */
export async function keepsItsPromises(
  schedule: Schedule,
  open: (schedule: Schedule) => Promise<World>,
): Promise<void> {
  const world = await open(schedule);
  const { mock, gateway } = world;
  try {
    const ended = await play(world, schedule.steps);
    mock.clearFaults();
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    if (schedule.concurrency !== false) expect(world.excess()).toBeLessThanOrEqual(0);
    expect(listeners(ended)).toBe(0);
    checkAttempts(world);
    for (const call of ended) checkCall(world, call);
    for (const call of ended) await claim(world, call);
    await world.close();
    checkBooks(world, ended);
  } finally {
    await world.close();
  }
  await until(() => mock.inFlight + world.pending() === 0);
  expect(mock.inFlight).toBe(0);
  expect(world.pending()).toBe(0);
  expect(mock.peakInFlight).toBeLessThanOrEqual(schedule.limit);
}

/** Waits, for a while, for what happens by itself. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !holds(); turn += 1) await pause(2);
}

/** Every attempt of a call has the same key and the same bytes. */
function checkAttempts({ mock }: World): void {
  const first = new Map<string, string>();
  for (const { method, requestId, headers, bodyText } of mock.requests) {
    if (method !== 'POST') continue;
    const sent = `${headers['x-idempotency-key']} ${headers['idempotency-key']} ${bodyText}`;
    expect(sent).toBe(first.get(requestId) ?? sent);
    first.set(requestId, sent);
  }
}

const lineOf = ({ mock }: World, { id }: Ended): InvoiceLine | undefined => {
  const lines = mock.invoice.filter(({ requestId }) => requestId === id);
  expect(lines.length, `${id} is paid once at most`).toBeLessThanOrEqual(1);
  return lines[0];
};

/** What a call says of itself is true, and leads to what was paid for it. */
function checkCall(world: World, call: Ended): void {
  const line = lineOf(world, call);
  const error = failureOf(call);
  const held = idOf(error === undefined ? call.value : error.task);
  if (error !== undefined) {
    expect(error).not.toBeInstanceOf(ConfigurationError);
    if (error instanceof AbortedError) expect(error.cause).toBe(call.signal.reason);
    if (error.task === undefined) {
      expect(error.outcome, `${error} tells its outcome`).toMatch(/^(unknown|rejected|not-sent)$/);
      if (error.outcome !== 'unknown') expect(line, `${error} was not paid`).toBeUndefined();
    }
    if (submits[call.step.kind] !== undefined) expect(error.idempotencyKey).toBeDefined();
    expect(error.idempotencyKey).toBe(keyOf(call.step) ?? error.idempotencyKey);
  }
  if (line?.idempotencyKey === undefined || submits[call.step.kind] === undefined) return;
  expect([held, error?.idempotencyKey]).toContain(
    held === undefined ? line.idempotencyKey : line.taskId,
  );
}

/** Chats and voices have no key that protects them. */
const isSubmit = ({ step }: Ended): boolean => submits[step.kind] !== undefined;

const idOf = (holder: unknown): unknown =>
  typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'id') : undefined;

/** Asks for what a failed call may have paid for: by its task, else by its key. */
async function claim(world: World, call: Ended): Promise<void> {
  const { gateway, mock, settle } = world;
  const submit = submits[call.step.kind];
  const error = failureOf(call);
  if (error === undefined || submit === undefined) return;
  const { task, idempotencyKey } = error;
  if (task !== undefined) {
    const again = gateway.resume(JSON.parse(JSON.stringify(task)));
    expect((await settle(again.retrieve())).id).toBe(task.id);
    return;
  }
  if (error.outcome !== 'unknown' || idempotencyKey === undefined) return;
  const paid = mock.invoice.find((line) => line.idempotencyKey === idempotencyKey);
  const { id } = await settle(submit(gateway, { idempotencyKey }));
  if (paid !== undefined) expect(id).toBe(paid.taskId);
}

/** No key is paid twice, and the client's books are the gateway's, but for answers that nobody can ask for again. */
function checkBooks(world: World, ended: readonly Ended[]): void {
  const { gateway, mock } = world;
  const generations = new Set(ended.filter(isSubmit).map(({ id }) => id));
  const keys = mock.invoice
    .filter(({ requestId }) => !requestId.startsWith('call-') || generations.has(requestId))
    .map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(new Set(keys).size);
  const lost = ended
    .filter((call) => !isSubmit(call) && !world.told.has(call.id))
    .map((call) => lineOf(world, call)?.usd ?? 0);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, usd) => total + usd, 0);
  const total = sum(mock.invoice.map(({ usd }) => usd));
  expect(gateway.spend.totalUsd).toBeCloseTo(total - sum(lost), 9);
  expect(sum(world.charges)).toBeCloseTo(gateway.spend.totalUsd, 9);
}
