import { expect, test } from 'vitest';

import { refundedOf } from '../../../src/tools/mcp/refunds.ts';

const usage = { usedBefore: 5, usedNow: 5.04, charged: 0.06, failed: 0.02, failedEarlier: 0 };

test.each([
  ['a refund that the quota shows', {}, 0.02],
  ['no refund', { usedNow: 5.06 }, 0],
  ['another program that uses the key hides a refund', { usedNow: 5.5 }, 0],
  ['a part of the refunds', { failed: 0.04, usedNow: 5.04 }, 0.02],
  ['at most the charges of failed tasks', { usedNow: 4 }, 0.02],
  ['the refund of a task of an earlier process', { failedEarlier: 0.02 }, 0],
  ['both refunds', { failedEarlier: 0.02, usedNow: 5.02 }, 0.02],
  ['a quota in coarse units', { usedNow: 5.040_001 }, 0.02],
  ['nothing has failed', { failed: 0, usedNow: 4 }, 0],
])('%s counts as %s', (_, changes, expected) => {
  expect(refundedOf({ ...usage, ...changes })).toBe(expected);
});
