import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { messagesOf } from '../../support/all-ways.ts';
import { finishEvent } from '../../support/event-stream.ts';
import { randomSplit } from '../../support/random-split.ts';

test('a random split of a random message is read as the message, in every way', async () => {
  let calls = 0;
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (decide) => {
      const { message, events } = randomSplit(decide);
      const ways = await messagesOf([...events, finishEvent()]);
      for (const [way, read] of Object.entries(ways)) expect([way, read]).toEqual([way, message]);
      calls += 'tool_calls' in message ? 1 : 0;
    }),
    { numRuns: 60 },
  );
  expect(calls).toBeGreaterThan(10);
});
