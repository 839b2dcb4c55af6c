import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { inMemory, onSocket } from '../support/safety/environment.ts';
import { checkGuarantees } from '../support/safety/guarantees.ts';
import { schedules } from '../support/safety/schedule.ts';

/** Another seed and more runs explore further: `POLYGATE_SEED=$RANDOM POLYGATE_RUNS=10`. */
const seed = Number(process.env.POLYGATE_SEED ?? 1);
const times = Number(process.env.POLYGATE_RUNS ?? 1);

describe(`nothing is paid for twice and nothing paid for is lost (POLYGATE_SEED=${seed})`, () => {
  test.each([
    ['in memory, in virtual time', inMemory, 1_200],
    ['on a socket', onSocket, 200],
  ] as const)('%s', async (_, open, numRuns) => {
    const property = fc.asyncProperty(schedules, (schedule) => checkGuarantees(schedule, open));
    await expect(fc.assert(property, { seed, numRuns: numRuns * times })).resolves.toBeUndefined();
  });
});
