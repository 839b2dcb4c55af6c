import { expect, test } from 'vitest';

import { countedCharge } from '../../../src/client/batch/budget-decisions.ts';
import type { CountedCharge } from '../../../src/client/batch/budget-decisions.ts';

const charge: CountedCharge = { counts: 'charge', usd: 0.2 };
const free: CountedCharge = { counts: 'charge', usd: 0 };
const reservation: CountedCharge = { counts: 'reservation' };
const nothing: CountedCharge = { counts: 'nothing' };

type Row = [
  response: string,
  chargeUsd: number | undefined,
  isReplay: boolean,
  ifPaid: CountedCharge,
  ifNot: CountedCharge,
];

test.each<Row>([
  ['the first response, with a charge', 0.2, false, charge, charge],
  ['the first response, free of charge', 0, false, free, free],
  ['the first response, without a charge', undefined, false, reservation, reservation],
  ['a replay with a charge', 0.2, true, charge, nothing],
  // It does not say what the original request has cost.
  ['a replay that costs nothing itself', 0, true, reservation, nothing],
  ['a replay without a charge', undefined, true, reservation, nothing],
])('%s', (_, chargeUsd, isReplay, ifPaid, ifNot) => {
  expect(countedCharge({ chargeUsd, isReplay, isReplayPaid: true })).toEqual(ifPaid);
  expect(countedCharge({ chargeUsd, isReplay, isReplayPaid: false })).toEqual(ifNot);
});
