import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { inMemory } from '../../support/safety/environment.ts';
import { checkGuarantees } from '../../support/safety/guarantees.ts';
import { schedules } from '../../support/safety/schedule.ts';

// A short version of test/long/safety-properties.test.ts, which runs twenty times as many schedules, also on a socket.
test('under random faults and aborts, nothing is paid for twice and nothing paid for is lost', async () => {
  const property = fc.asyncProperty(schedules, (schedule) => checkGuarantees(schedule, inMemory));
  await expect(fc.assert(property, { seed: 7, numRuns: 60 })).resolves.toBeUndefined();
});
