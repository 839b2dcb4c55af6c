import { expect, test } from 'vitest';

import { retryDelayAfter } from '../../../../src/integrations/bullmq/decisions/step.ts';

test.each([
  ['full', 25],
  ['changed', 5],
  // Only a resume, or the next step of the row, changes anything.
  ['paused', undefined],
  ['exceeded', undefined],
  ['gone', undefined],
] as const)('a row that is refused (%s) tries again after %s ms', (reason, delayMs) => {
  expect(retryDelayAfter(reason)).toBe(delayMs);
});
