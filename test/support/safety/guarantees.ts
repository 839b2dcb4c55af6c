import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'vitest';

import { AbortedError, ConfigurationError } from '../../../src/index.ts';
import type { InvoiceLine } from '../../../src/mock/index.ts';
import { failureOf, keyOf, listeners, runSchedule, submits } from './environment.ts';
import type { EndedCall, Environment } from './environment.ts';
import type { Schedule } from './schedule.ts';

/** Runs a schedule and checks every guarantee about money. */
export async function checkGuarantees(
  schedule: Schedule,
  open: (schedule: Schedule) => Promise<Environment>,
): Promise<void> {
  const environment = await open(schedule);
  const { mock, gateway } = environment;
  try {
    const ended = await runSchedule(environment, schedule.steps);
    mock.clearFaults();
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    if (schedule.concurrency !== false) expect(environment.excess()).toBeLessThanOrEqual(0);
    expect(listeners(ended)).toBe(0);
    checkAttempts(environment);
    for (const call of ended) checkCall(environment, call);
    for (const call of ended) await recover(environment, call);
    await environment.close();
    checkLedger(environment, ended);
  } finally {
    await environment.close();
  }
  await until(() => mock.inFlight + environment.pending() === 0);
  expect(mock.inFlight).toBe(0);
  expect(environment.pending()).toBe(0);
  expect(mock.peakInFlight).toBeLessThanOrEqual(schedule.limit);
}

/** Waits for a condition, for about two seconds at most. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !condition(); turn += 1) await pause(2);
}

/** Every attempt of a call sends the same key and the same bytes. */
function checkAttempts({ mock }: Environment): void {
  const first = new Map<string, string>();
  for (const { method, requestId, headers, bodyText } of mock.requests) {
    if (method !== 'POST') continue;
    const sent = `${headers['x-idempotency-key']} ${headers['idempotency-key']} ${bodyText}`;
    expect(sent).toBe(first.get(requestId) ?? sent);
    first.set(requestId, sent);
  }
}

const lineOf = ({ mock }: Environment, { id }: EndedCall): InvoiceLine | undefined => {
  const lines = mock.invoice.filter(({ requestId }) => requestId === id);
  expect(lines.length, `${id} is charged once at most`).toBeLessThanOrEqual(1);
  return lines[0];
};

/** The result of a call is correct and identifies anything that was paid for. */
function checkCall(environment: Environment, call: EndedCall): void {
  const line = lineOf(environment, call);
  const error = failureOf(call);
  const taskId = idOf(error === undefined ? call.value : error.task);
  if (error !== undefined) {
    expect(error).not.toBeInstanceOf(ConfigurationError);
    if (error instanceof AbortedError) expect(error.cause).toBe(call.signal.reason);
    if (error.task === undefined) {
      expect(error.outcome, `${error} has an outcome`).toMatch(/^(unknown|rejected|not-sent)$/);
      if (error.outcome !== 'unknown') expect(line, `${error} was not charged`).toBeUndefined();
    }
    if (submits[call.step.kind] !== undefined) expect(error.idempotencyKey).toBeDefined();
    expect(error.idempotencyKey).toBe(keyOf(call.step) ?? error.idempotencyKey);
  }
  if (line?.idempotencyKey === undefined || submits[call.step.kind] === undefined) return;
  expect([taskId, error?.idempotencyKey]).toContain(
    taskId === undefined ? line.idempotencyKey : line.taskId,
  );
}

/** Chat and voice requests have no key that protects them. */
const isSubmit = ({ step }: EndedCall): boolean => submits[step.kind] !== undefined;

const idOf = (holder: unknown): unknown =>
  typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'id') : undefined;

/** Recovers what a failed call may have paid for, by its task or else by its key. */
async function recover(environment: Environment, call: EndedCall): Promise<void> {
  const { gateway, mock, settle } = environment;
  const submit = submits[call.step.kind];
  const error = failureOf(call);
  if (error === undefined || submit === undefined) return;
  const { task, idempotencyKey } = error;
  if (task !== undefined) {
    const resumed = gateway.resume(JSON.parse(JSON.stringify(task)));
    expect((await settle(resumed.retrieve())).id).toBe(task.id);
    return;
  }
  if (error.outcome !== 'unknown' || idempotencyKey === undefined) return;
  const paid = mock.invoice.find((line) => line.idempotencyKey === idempotencyKey);
  const { id } = await settle(submit(gateway, { idempotencyKey }));
  if (paid !== undefined) expect(id).toBe(paid.taskId);
}

/** No key is charged twice, and the ledger equals the invoice except for lost responses of requests without a key. */
function checkLedger(environment: Environment, ended: readonly EndedCall[]): void {
  const { gateway, mock } = environment;
  const generations = new Set(ended.filter(isSubmit).map(({ id }) => id));
  const keys = mock.invoice
    .filter(({ requestId }) => !requestId.startsWith('call-') || generations.has(requestId))
    .map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(new Set(keys).size);
  const lost = ended
    .filter((call) => !isSubmit(call) && !environment.reportedCharges.has(call.id))
    .map((call) => lineOf(environment, call)?.usd ?? 0);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, usd) => total + usd, 0);
  const total = sum(mock.invoice.map(({ usd }) => usd));
  expect(gateway.spend.totalUsd).toBeCloseTo(total - sum(lost), 9);
  expect(sum(environment.charges)).toBeCloseTo(gateway.spend.totalUsd, 9);
}
