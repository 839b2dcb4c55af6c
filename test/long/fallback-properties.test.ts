import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  chatRuns,
  checkChatFallback,
  checkTaskFallback,
  taskRuns,
} from '../support/safety/fallback.ts';

/** Another seed and more runs explore further: `POLYGATE_SEED=$RANDOM POLYGATE_RUNS=10`. */
const seed = Number(process.env.POLYGATE_SEED ?? 2);
const numRuns = 4_000 * Number(process.env.POLYGATE_RUNS ?? 1);

describe(`with several models, nothing is paid for twice (POLYGATE_SEED=${seed})`, () => {
  test('a task is paid for once under its key', async () => {
    const property = fc.asyncProperty(taskRuns, checkTaskFallback);
    await expect(fc.assert(property, { seed, numRuns })).resolves.toBeUndefined();
  });

  test('a chat is never sent after an unknown outcome', async () => {
    const property = fc.asyncProperty(chatRuns, checkChatFallback);
    await expect(fc.assert(property, { seed, numRuns })).resolves.toBeUndefined();
  });
});
