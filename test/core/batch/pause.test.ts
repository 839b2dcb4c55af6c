import { expect, test } from 'vitest';

import { keepsBack } from '../../../src/core/batch/run/pause.ts';
import type { PauseReason } from '../../../src/core/batch/run/pause.ts';
import { emptyMeta } from '../../../src/core/http/response-meta.ts';
import {
  BudgetExceededError,
  ConfigurationError,
  PaymentRequiredError,
} from '../../../src/index.ts';

const paymentRequired = new PaymentRequiredError('402', { meta: emptyMeta(402) });
const budget = new BudgetExceededError('too much', { spentUsd: 1, maxUsd: 1 });
const journal = new ConfigurationError('journal: is in use by process 7.');

test.each<[string, PauseReason, Parameters<typeof keepsBack>[1], boolean]>([
  ['a 402 keeps back a planned row', paymentRequired, 'planned', true],
  ['a 402 keeps back a recorded row', paymentRequired, 'recorded', true],
  ['a journal keeps back a planned row', journal, 'planned', true],
  ['a journal keeps back a recorded row', journal, 'recorded', true],
  ['a budget keeps back a planned row', budget, 'planned', true],
  ['a budget lets a recorded row pass, whose price is reserved', budget, 'recorded', false],
])('%s', (_, reason, state, expected) => {
  expect(keepsBack(reason, state)).toBe(expected);
});
