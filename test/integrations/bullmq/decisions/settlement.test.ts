import { expect, test } from 'vitest';

import {
  accepted,
  charged,
  settlementOf,
  unpaid,
} from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import { KeyCharges } from '../../../../src/internal.ts';
import { verdictOfTask } from '../../../../src/paid/life.ts';

test.each([
  { replayed: false, chargeUsd: 0.2, settlement: charged(0.2), ofOthers: charged(0.2) },
  // What is reserved counts.
  { replayed: false, chargeUsd: undefined, settlement: accepted, ofOthers: accepted },
  { replayed: false, chargeUsd: 0, settlement: charged(0), ofOthers: charged(0) },
  // It does not say what the original request has cost.
  { replayed: true, chargeUsd: 0, settlement: accepted, ofOthers: unpaid },
  { replayed: true, chargeUsd: 0.2, settlement: charged(0.2), ofOthers: unpaid },
  { replayed: true, chargeUsd: undefined, settlement: accepted, ofOthers: unpaid },
])(
  'replayed: $replayed, with a charge of $chargeUsd settles $settlement if the row was sent before, or else $ofOthers',
  ({ settlement, ofOthers, ...task }) => {
    const verdict = verdictOfTask(task);
    const settle = (isOwn: boolean) => {
      const isCovered = new KeyCharges().covers(verdict, isOwn);
      return settlementOf(isCovered ? { ...verdict, money: 'none' } : verdict);
    };
    expect(settle(true)).toEqual(settlement);
    expect(settle(false)).toEqual(ofOthers);
  },
);
