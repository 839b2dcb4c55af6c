import { expect, test } from 'vitest';

import { nextModel } from '../../../src/client/call/fallback.ts';
import type { FallbackReason } from '../../../src/client/call/fallback.ts';

type Reason = FallbackReason | undefined;

test.each<[Reason[], string[], string | undefined]>([
  // why the models so far have failed, skipped models, next model
  [['overloaded'], [], 'b'],
  [['unavailable'], [], 'b'],
  [['conflict'], [], 'b'],
  [[undefined], [], undefined],
  [['overloaded', 'unavailable'], [], 'c'],
  [['overloaded', undefined], [], undefined],
  [['overloaded', 'overloaded', 'overloaded'], [], undefined],
  [['overloaded'], ['b', 'c'], undefined],
  [['overloaded'], ['c'], 'b'],
  [['overloaded', 'overloaded'], ['c'], undefined],
  [['conflict'], ['b', 'c'], 'b'],
  [['conflict', 'unavailable'], ['b', 'c'], 'c'],
  [['conflict', undefined], ['c'], undefined],
])('after %j, and with %j skipped, the next model is %s', (reasons, skipped, next) => {
  expect(nextModel({ ordered: ['a', 'b', 'c'], skipped }, reasons)).toBe(next);
});
