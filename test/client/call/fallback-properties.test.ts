import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  chatRuns,
  checkChatFallback,
  checkTaskFallback,
  taskRuns,
} from '../../support/safety/fallback.ts';

const numRuns = 60;

test('under random faults, kills and reruns, a task with several models is paid for once', async () => {
  const property = fc.asyncProperty(taskRuns, checkTaskFallback);
  await expect(fc.assert(property, { seed: 1, numRuns })).resolves.toBeUndefined();
});

test('under random faults and kills, a chat with several models is never sent after an unknown outcome', async () => {
  const property = fc.asyncProperty(chatRuns, checkChatFallback);
  await expect(fc.assert(property, { seed: 1, numRuns })).resolves.toBeUndefined();
});
