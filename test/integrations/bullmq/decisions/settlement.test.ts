import { expect, test } from 'vitest';

import {
  release,
  replaceBy,
  settlementOf,
  spend,
} from '../../../../src/integrations/bullmq/decisions/settlement.ts';

test.each([
  { replayed: false, chargeUsd: 0.2, mayBeCharged: false, settlement: replaceBy(0.2) },
  // What is reserved counts.
  { replayed: false, chargeUsd: undefined, mayBeCharged: false, settlement: spend },
  { replayed: false, chargeUsd: 0, mayBeCharged: false, settlement: replaceBy(0) },
  // It does not say what the original request has cost.
  { replayed: true, chargeUsd: 0, mayBeCharged: true, settlement: spend },
  { replayed: true, chargeUsd: 0.2, mayBeCharged: false, settlement: release },
  { replayed: true, chargeUsd: 0.2, mayBeCharged: true, settlement: replaceBy(0.2) },
  { replayed: true, chargeUsd: undefined, mayBeCharged: true, settlement: spend },
])('replayed: $replayed, mayBeCharged: $mayBeCharged settles $settlement', (row) => {
  expect(settlementOf(row, row.mayBeCharged)).toEqual(row.settlement);
});
