import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { keepsItsPromises } from '../../support/safety/promises.ts';
import { schedules } from '../../support/safety/schedule.ts';
import { inMemory } from '../../support/safety/world.ts';

// A taste of test/long/safety-properties.test.ts, which runs twenty times as many, and on a socket.
test('random faults and aborts: nothing is paid twice, nothing paid is lost', async () => {
  const property = fc.asyncProperty(schedules, (schedule) => keepsItsPromises(schedule, inMemory));
  await expect(fc.assert(property, { seed: 7, numRuns: 60 })).resolves.toBeUndefined();
});
