import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { doneEvent, finishEvent, streamOf } from '../support/event-stream.ts';
import { randomSplit } from '../support/random-split.ts';

test.each(Array.from({ length: 4 }, (_, part) => part))(
  'a random split of a random message is read as the message: 5,000 cases, part %i',
  async (part) => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (decide) => {
        const { message, events } = randomSplit(decide);
        const { choices } = await streamOf([...events, finishEvent(), doneEvent]).final();
        expect(choices[0]?.message).toEqual(message);
      }),
      { numRuns: 5_000, seed: part },
    );
  },
);
