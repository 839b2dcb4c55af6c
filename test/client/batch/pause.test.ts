import { describe, expect, test } from 'vitest';

import { Pause, keepsBack } from '../../../src/client/batch/pause.ts';
import type { PauseReason } from '../../../src/client/batch/pause.ts';
import { Row } from '../../../src/client/batch/row.ts';
import { emptyMeta } from '../../../src/client/http/response-meta.ts';
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
  ['a 402 lets a row pass that is sent', paymentRequired, 'sent', false],
  ['a 402 lets a row pass that is accepted', paymentRequired, 'accepted', false],
  ['a budget lets a row pass that is sent', budget, 'sent', false],
])('%s', (_, reason, state, expected) => {
  expect(keepsBack(reason, state)).toBe(expected);
});

describe('a pause', () => {
  const ignore = () => undefined;
  const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
  const newPause = () => new Pause({ log, beginsAtBudget: true });

  /** A row that is recorded, and whose submission does not end. */
  function submitting(pause: Pause): Row {
    const row = new Row('a');
    row.record();
    void pause.whileSubmitting(row, () => new Promise(() => undefined));
    return row;
  }
  const isAborted = ({ controller }: Row) => controller.signal.aborted;

  test('keeps back a row that is not sent when it begins', () => {
    const pause = newPause();
    const row = submitting(pause);
    pause.begin();
    expect(isAborted(row)).toBe(true);
  });

  test('keeps back a row whose submission starts after it has begun', () => {
    const pause = newPause();
    pause.begin();
    expect(isAborted(submitting(pause))).toBe(true);
  });

  test('keeps back a row that is sent only when its request was certainly rejected', () => {
    const pause = newPause();
    const row = submitting(pause);
    row.markSent();
    pause.begin();
    expect(isAborted(row)).toBe(false);
    row.markUnsent();
    pause.keepBack(row);
    expect(isAborted(row)).toBe(true);
  });

  test('has no effect on a row whose submission has ended', async () => {
    const pause = newPause();
    const row = new Row('a');
    await pause.whileSubmitting(row, async () => undefined);
    pause.begin();
    expect(isAborted(row)).toBe(false);
  });
});
