import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { MockGateway } from '../../../src/mock/index.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  chatRequests,
  describeChat,
  lockedJournal,
  newProcess,
  numbers,
  runChatBatch,
} from './support.ts';

const spent = ({ invoice }: MockGateway) =>
  Math.round(invoice.reduce((sum, { usd }) => sum + usd, 0) * 1e9) / 1e9;

describe('maxUsd with chats whose responses are lost before any price is known', () => {
  test('pauses the batch after a few of them, in all runs together', async () => {
    const world = onMock({}, { maxRetries: 0 });
    world.mock.fail({ reset: 'after' });
    const journal = lockedJournal();
    for (let run = 0; run < 3; run += 1) {
      const { gateway } = newProcess(world, { maxRetries: 0 });
      const batch = collect(
        gateway.batch(numbers(50), describeChat(gateway), { journal, maxUsd: 1 }),
      );
      const error = await world.mock.clock.settle(rejection(BudgetExceededError, batch));
      expect(error.message).toContain('4 more rows may have been charged');
      expect(error.rowsDone).toBe(0);
    }
    expect(chatRequests(world.mock)).toHaveLength(4);
  });

  test('counts them with the largest charge as soon as one is known', async () => {
    const world = onMock({}, { maxRetries: 0 });
    world.mock.fail({ reset: 'after', times: 3 });
    const journal = lockedJournal();
    const maxUsd = 0.000_22;
    const { gateway, mock } = world;
    const batch = collect(gateway.batch(numbers(50), describeChat(gateway), { journal, maxUsd }));
    const error = await mock.clock.settle(rejection(BudgetExceededError, batch));
    expect(error.message).not.toContain(' 0 USD reserved');
    // The charges of chats differ, so those that were lost can cost more than the largest known one.
    expect(spent(mock)).toBeLessThanOrEqual(1.5 * maxUsd);
    expect(mock.invoice.length).toBeGreaterThan(5);
    const again = runChatBatch(newProcess(world), numbers(50), { journal, maxUsd });
    await rejection(BudgetExceededError, again);
    expect(spent(mock)).toBeLessThanOrEqual(1.5 * maxUsd);
  });

  test('continues after a run without maxUsd, from which the price is known', async () => {
    const world = onMock({}, { maxRetries: 0 });
    const fault = world.mock.fail({ reset: 'after' });
    const journal = lockedJournal();
    await rejection(BudgetExceededError, runChatBatch(world, numbers(9), { journal, maxUsd: 1 }));
    fault.remove();
    await runChatBatch(newProcess(world), numbers(5), { journal });
    const rows = await runChatBatch(newProcess(world), numbers(9), { journal, maxUsd: 1 });
    expect(rows.map(({ status }) => status).toSorted()).toEqual([
      ...Array(5).fill('succeeded'),
      ...Array(4).fill('unknown'),
    ]);
  });
});
