import { describe, expect, test } from 'vitest';

import { AuthenticationError, BudgetExceededError, TaskFailedError } from '../../../src/index.ts';
import type { BatchOptions, Task } from '../../../src/index.ts';
import { collect } from '../../support/rejection.ts';
import { caught, image, onMock } from '../support.ts';
import { lineTypes, memoryJournal, newProcess, runImageBatch } from './support.ts';

const submits = 'POST /v1/images/tasks';

describe('a row whose submission was recorded by an earlier process', () => {
  /** A journal of a process that ended before it received the response to its submit. */
  async function interrupted(options: BatchOptions<number> = {}) {
    const world = onMock({ tasks: { durationMs: 1_000 } });
    const journal = memoryJournal();
    const drop = world.mock.fail({ route: submits, reset: 'after' });
    const { gateway } = newProcess(world, { maxRetries: 0 });
    const [row] = await runImageBatch({ ...world, gateway }, [1], { ...options, journal });
    expect(row?.status).toBe('unknown');
    drop.remove();
    return { world, journal };
  }

  test('is resent with its key, which returns its task', async () => {
    const { world, journal } = await interrupted();
    const [row] = await runImageBatch(newProcess(world), [1], { journal });
    expect(row).toMatchObject({ status: 'succeeded', task: { replayed: true } });
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('stays unknown if the API key is rejected in this run, because the earlier request may have been charged', async () => {
    const { world, journal } = await interrupted();
    const fault = world.mock.fail({ route: submits, status: 401 });
    const [rejected] = await runImageBatch(newProcess(world), [1], { journal });
    expect(rejected).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
    const { message, stack } = rejected?.error ?? {};
    expect(message).toContain(
      'This request was not charged, but an earlier one of this row may have been',
    );
    expect(`${message} ${stack}`).not.toContain('Nothing was charged');
    expect(rejected?.error).toBeInstanceOf(AuthenticationError);
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'submit']);
    fault.remove();
    const [row] = await runImageBatch(newProcess(world), [1], { journal });
    expect(row?.status).toBe('succeeded');
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('stays open if the budget is reached in this run', async () => {
    const { world, journal } = await interrupted();
    const limited = newProcess(world, { budget: { maxUsd: 0 } });
    const error = await caught(runImageBatch(limited, [1], { journal }));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error).toMatchObject({ outcome: 'unknown', rowsDone: 0, rowsOpen: 1 });
    expect(lineTypes(journal)).toEqual(['run', 'submit', 'submit']);
    const [row] = await runImageBatch(newProcess(world), [1], { journal });
    expect(row?.status).toBe('succeeded');
    expect(world.mock.invoice).toHaveLength(1);
  });

  test.each([
    ['an error', () => new Error('gone')],
    ['the failure of another task', (task: Task) => new TaskFailedError('failed', { task })],
  ])('stays unknown if the row callback throws %s in this run', async (_, errorOf) => {
    const { world, journal } = await interrupted();
    const gateway = newProcess(world).gateway;
    const error = errorOf(gateway.images.task('another'));
    const batch = gateway.batch([1], () => Promise.reject(error), { journal });
    const [row] = await world.mock.clock.settle(collect(batch));
    expect(row).toMatchObject({ status: 'unknown', error });
    expect(row?.idempotencyKey).toBe(world.mock.invoice[0]?.idempotencyKey);
  });

  test('is rejected with other params, and keeps its key', async () => {
    const { world, journal } = await interrupted();
    const before = [...journal.lines];
    const gateway = newProcess(world).gateway;
    const other = () => gateway.images.submission({ ...image, prompt: 'Something else' });
    const batch = gateway.batch([1], other, { journal });
    const [row] = await world.mock.clock.settle(collect(batch));
    expect(row).toMatchObject({
      status: 'unknown',
      idempotencyKey: world.mock.invoice[0]?.idempotencyKey,
      error: { message: expect.stringContaining('its params differ from an earlier submission') },
    });
    expect(journal.lines).toEqual(before);
    expect(world.mock.invoice).toHaveLength(1);
  });

  test('keeps its key even if the caller passes another one', async () => {
    const world = onMock();
    const journal = memoryJournal();
    const run = (key: string) => {
      const { gateway } = newProcess(world);
      const describeRow = () => gateway.images.submission(image, { idempotencyKey: key });
      return world.mock.clock.settle(collect(gateway.batch([1], describeRow, { journal })));
    };
    await run('first');
    journal.lines.splice(2);
    expect((await run('second'))[0]?.status).toBe('succeeded');
    expect(world.mock.invoice).toMatchObject([{ idempotencyKey: 'first' }]);
  });
});

describe('a row that was rejected', () => {
  test('can be submitted again: with its key, or with other params under another key', async () => {
    const world = onMock();
    const journal = memoryJournal();
    world.mock.fail({ route: submits, status: 400, times: 2 });
    const [first] = await runImageBatch(world, ['a'], { journal, id: () => 'row' });
    const [second] = await runImageBatch(newProcess(world), ['a'], { journal, id: () => 'row' });
    expect([first?.status, second?.status]).toEqual(['failed', 'failed']);
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    const [third] = await runImageBatch(newProcess(world), ['b'], { journal, id: () => 'row' });
    expect(third?.status).toBe('succeeded');
    expect(third?.idempotencyKey).not.toBe(first?.idempotencyKey);
    const [fourth] = await runImageBatch(newProcess(world), ['b'], { journal, id: () => 'row' });
    expect(fourth?.task?.id).toBe(third?.task?.id);
    const [fifth] = await runImageBatch(newProcess(world), ['a'], { journal, id: () => 'row' });
    expect(fifth?.error?.message).toContain('its params differ from an earlier submission');
    expect(world.mock.invoice).toHaveLength(1);
    expect(lineTypes(journal).join(' ')).toBe(
      'run submit refused submit refused submit accepted finished',
    );
  });

  test('is unknown if another process also recorded a submission for it', async () => {
    const world = onMock();
    const journal = memoryJournal();
    world.mock.fail({ route: submits, status: 400, times: 1 });
    await runImageBatch(world, [1], { journal });
    const submit = journal.lines[1] ?? '';
    journal.lines.splice(1, 0, submit);
    const { gateway } = newProcess(world);
    const other = () => gateway.images.submission({ ...image, prompt: 'Something else' });
    const batch = gateway.batch([1], other, { journal });
    const [row] = await world.mock.clock.settle(collect(batch));
    expect(row?.status).toBe('unknown');
    expect(world.mock.invoice).toEqual([]);
  });

  test('by the budget was not charged, and can be submitted with a larger budget', async () => {
    const world = onMock({}, { budget: { maxUsd: 0 } });
    const journal = memoryJournal();
    const error = await caught(runImageBatch(world, [1], { journal }));
    expect(error).toBeInstanceOf(BudgetExceededError);
    const [again] = await runImageBatch(newProcess(world), [1], { journal });
    expect(again?.status).toBe('succeeded');
  });
});
