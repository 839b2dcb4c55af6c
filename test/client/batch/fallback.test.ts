import { describe, expect, test, vi } from 'vitest';

import { BudgetExceededError, ConfigurationError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { lockedJournal, memoryJournal, newProcess, numbers } from './support.ts';
import type { MemoryJournal } from './support.ts';

const model = 'prism-image';

const describeWith = (gateway: Polygate, fallback?: string[]) => (row: number) =>
  gateway.images.submission({ model, prompt: `Harbor ${row}` }, { fallback });

type World = ReturnType<typeof newProcess>;

const run = ({ mock, gateway }: World, journal: MemoryJournal, fallback?: string[], rows = 1) =>
  mock.clock.settle(
    collect(gateway.batch(numbers(rows), describeWith(gateway, fallback), { journal })),
  );

/** A batch whose first model is down, and whose process is killed before the second one responds. */
async function killed(journal: MemoryJournal, A13: 'replay' | 'conflict' = 'replay') {
  const world = onMock({ assumptions: { A13 } }, { maxRetries: 0 });
  world.mock.fail({ model, status: 503, times: 1 });
  const fault = world.mock.fail({ model: 'prism-sketch', reset: 'after' });
  const [row] = await run(world, journal, ['prism-sketch']);
  expect(row).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
  fault.remove();
  expect(world.mock.invoice).toHaveLength(1);
  return world;
}

describe('a batch with a fallback', () => {
  test('names the model of each row in its journal', async () => {
    const world = onMock({}, { maxRetries: 0, fallbackCooldown: 0 });
    world.mock.fail({ model, status: 503, times: 1 });
    const journal = memoryJournal();
    const rows = await run(world, journal, ['prism-sketch'], 2);
    expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    const receipts = journal.lines
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'accepted')
      .map(({ receipt }) => receipt.model);
    const models = [model, 'prism-sketch'];
    expect(new Set(receipts)).toEqual(new Set(models));
    expect(new Set(rows.map(({ task }) => task?.model))).toEqual(new Set(models));
  });

  test.each(['replay', 'conflict'] as const)(
    'pays for a row once, whichever model it was accepted with: %s',
    async (A13) => {
      const journal = memoryJournal();
      const world = await killed(journal, A13);
      const rows = await run(newProcess(world), journal, ['prism-sketch']);
      expect(rows).toMatchObject([{ status: 'succeeded', task: { model: 'prism-sketch' } }]);
      expect(world.mock.invoice).toHaveLength(1);
    },
  );

  test('keeps what may have been charged for one model if the request to another one is invalid', async () => {
    const journal = memoryJournal();
    const world = await killed(journal);
    const fault = world.mock.fail({ model, status: 400, code: 'invalid_idempotency_key' });
    const [row] = await run(newProcess(world), journal, ['prism-sketch']);
    expect(row).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
    fault.remove();
    const [other] = await run(newProcess(world), journal);
    expect(other?.error?.message).toContain('its params differ from an earlier submission');
    const rows = await run(newProcess(world), journal, ['prism-sketch']);
    expect(rows).toMatchObject([{ status: 'succeeded', task: { model: 'prism-sketch' } }]);
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('is recovered with its list, if params are stored', async () => {
    const journal = memoryJournal([], { storeParams: true });
    const world = await killed(journal);
    expect(JSON.parse(journal.lines[1] ?? '')).toMatchObject({ fallback: ['prism-sketch'] });
    const { gateway } = newProcess(world, { maxRetries: 0 });
    world.mock.fail({ model, status: 404 });
    const rows = await world.mock.clock.settle(collect(gateway.recover(journal)));
    expect(rows).toMatchObject([{ status: 'succeeded', task: { model: 'prism-sketch' } }]);
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('is not recovered with a list that was edited', async () => {
    const journal = memoryJournal([], { storeParams: true });
    const world = await killed(journal);
    const edited = journal.lines.map((line) => line.replaceAll('prism-sketch', 'echo-speech'));
    const { gateway, mock } = newProcess(world);
    const sent = mock.requests.length;
    const recovered = collect(gateway.recover(memoryJournal(edited)));
    expect(await mock.clock.settle(recovered)).toMatchObject([{ status: 'unknown' }]);
    expect(mock.requests).toHaveLength(sent);
  });

  test('rejects another list for a row that may have been charged', async () => {
    const journal = memoryJournal();
    const world = await killed(journal);
    const sent = world.mock.requests.length;
    for (const fallback of [undefined, ['prism-sketch', 'other']]) {
      const [row] = await run(newProcess(world), journal, fallback);
      expect(row?.error).toBeInstanceOf(ConfigurationError);
    }
    expect(world.mock.requests).toHaveLength(sent);
  });

  test('rejects a list that repeats a model before anything is recorded', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const [row] = await run(world, journal, [model]);
    expect(row).toMatchObject({ status: 'failed', error: { name: 'ConfigurationError' } });
    expect(journal.lines).toHaveLength(1);
    expect(world.mock.requests).toEqual([]);
  });
});

test('a journal of version 0.2, without lists, keeps its fingerprints', async () => {
  const journal = memoryJournal([], { storeParams: true });
  const world = onMock({}, { maxRetries: 0 });
  const fault = world.mock.fail({ model, reset: 'after' });
  await run(world, journal);
  fault.remove();
  const line = JSON.parse(journal.lines[1] ?? '');
  expect(line).not.toHaveProperty('fallback');
  // SHA-256 of ["/v1/images/tasks","{\"model\":\"prism-image\",\"prompt\":\"Harbor 0\"}"].
  expect(line.hash).toBe('deacd2c0fa6a85a6faa2987769688972694d9771c43e59df9be3751ed4d65cf1');
});

test('a budget that pauses a batch is no reason to try other models', async () => {
  const warn = vi.fn<(message: string) => void>();
  const ignore = () => undefined;
  const logger = { error: ignore, warn, info: ignore, debug: ignore };
  const options = { logger, concurrency: 1, budget: { maxUsd: 0.01 } };
  const { mock, gateway } = onMock({}, { ...options, logLevel: 'warn' });
  await mock.clock.settle(gateway.models.list());
  // Chats wait for the slot when the image turns out not to fit the budget.
  const describeRow = (row: number) =>
    row === 5
      ? describeWith(gateway)(row)
      : gateway.chat.completions.submission(
          { model: 'aurora-chat', messages: [{ role: 'user', content: `Label ${row}` }] },
          { fallback: ['borealis-chat'] },
        );
  const statuses: string[] = [];
  const consume = async () => {
    const batch = gateway.batch(numbers(12), describeRow, { journal: lockedJournal() });
    for await (const row of batch) statuses.push(row.status);
  };
  const error = await mock.clock.settle(rejection(BudgetExceededError, consume()));
  expect(new Set(statuses)).toEqual(new Set(['succeeded']));
  expect(error).toMatchObject({ rowsDone: statuses.length, rowsOpen: 12 - statuses.length });
  expect(warn.mock.calls.flat().join()).not.toContain('falling back');
});
