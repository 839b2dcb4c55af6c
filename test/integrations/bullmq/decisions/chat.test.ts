import type { ChatCompletion } from 'polygate';
import { describe, expect, test } from 'vitest';

import {
  afterChat,
  afterLostChat,
  lateChargeOf,
  lateStep,
} from '../../../../src/integrations/bullmq/decisions/chat-plan.ts';
import { afterFailedSubmit } from '../../../../src/integrations/bullmq/decisions/plan.ts';
import {
  accepted,
  charged,
  undecided,
  unpaid,
} from '../../../../src/integrations/bullmq/decisions/settlement.ts';
import { end } from '../../../../src/integrations/bullmq/decisions/step.ts';
import { verdictOfTask } from '../../../../src/paid/life.ts';
import { badRequest, chargedResponse, noSlot, notSent, reset } from './errors.ts';

const completion = { id: 'c', object: 'chat.completion' } as ChatCompletion;

describe('a chat', () => {
  const request = { id: 'r', kind: 'chat', path: '/', params: { model: 'm' } } as const;
  const data = { ...request, hash: 'h', key: 'k' };
  const fail = (mayBeCharged: boolean, error: Error) =>
    afterFailedSubmit(
      { data, status: 'waiting', state: { mayBeCharged }, key: 'k' },
      error,
      error === chargedResponse
        ? { attempts: 5, charged: { usd: 0.3, largestUsd: 0.3, isKnown: true } }
        : { attempts: 5 },
      { maxRetryDelay: 1_000 },
    );

  test.each([
    { chargeUsd: 0.1, replayed: false, settlement: charged(0.1) },
    { chargeUsd: 0.1, replayed: true, settlement: charged(0.1) },
    // What is reserved counts.
    { chargeUsd: undefined, replayed: false, settlement: accepted },
    { chargeUsd: 0, replayed: true, settlement: accepted },
  ])('with the charge $chargeUsd settles $settlement', ({ settlement, ...charge }) => {
    const { move } = afterChat(
      { error: { name: 'E', message: '' } },
      completion,
      verdictOfTask(charge),
    );
    expect(move).toMatchObject({ from: 'submitting', to: 'succeeded', settlement });
    expect(move.state).toEqual({ completion, error: undefined });
  });

  test('that another worker has recorded as lost still becomes its completion', () => {
    const completed = afterChat({}, completion, verdictOfTask({ chargeUsd: 0.1, replayed: false }));
    const move = { ...completed.move, from: 'unknown' };
    expect(lateStep(completed)).toEqual({ move, next: end });
  });

  test.each([
    { error: badRequest, to: 'failed' },
    // Nothing repeats a row that has ended.
    { error: noSlot, to: 'failed' },
    { error: badRequest, mayBeCharged: true, to: 'unknown' },
    { error: noSlot, mayBeCharged: true, to: 'unknown' },
  ])(
    'that another worker has recorded as lost, and that $error.name has rejected, is $to',
    (row) => {
      const { error, to, mayBeCharged = false } = row;
      const rejected = fail(mayBeCharged, error);
      const late = lateStep(rejected);
      expect(late?.move).toMatchObject({ from: 'unknown', to, settlement: unpaid });
      expect(late?.move.state.error?.name).toBe(error.name);
      expect(late?.next).toBe(end);
    },
  );

  test('that another worker has recorded as lost, and whose response was lost, stays so', () => {
    const lost = fail(false, reset);
    expect(lateStep(lost)).toBeUndefined();
  });

  test('that another worker has recorded as lost, and whose response reports a charge, counts it', () => {
    const lost = fail(false, chargedResponse);
    expect(lateStep(lost)?.move).toMatchObject({
      from: 'unknown',
      to: 'unknown',
      settlement: charged(0.3),
      state: { error: { name: 'ResponseValidationError' } },
    });
  });

  test('that is lost may have been charged', () => {
    const lost = afterLostChat('r', {});
    expect(lost.move).toMatchObject({ to: 'unknown', state: { mayBeCharged: true } });
    expect(lost.move.state.error?.idempotencyKey).toBeUndefined();
  });

  test.each([
    { error: reset, to: 'unknown', settlement: undecided },
    { error: chargedResponse, to: 'unknown', settlement: charged(0.3) },
    // What an earlier request may have cost was spent when it was retried.
    { error: badRequest, mayBeCharged: true, to: 'unknown', settlement: unpaid },
    { error: badRequest, to: 'failed', settlement: unpaid },
    { error: notSent, to: 'waiting', settlement: unpaid },
    { error: noSlot, to: 'waiting', settlement: unpaid },
  ])('whose request ends with $error.name leads to $to', (row) => {
    const { error, to, settlement, mayBeCharged = false } = row;
    const { move } = fail(mayBeCharged, error);
    expect(move).toMatchObject({ to, settlement });
    expect(move.state.error?.idempotencyKey).toBeUndefined();
  });
});

test.each([
  { state: { completion }, settlement: charged(0.2), chargeUsd: 0.2 },
  // What was reserved has been spent already.
  { state: { completion }, settlement: accepted, chargeUsd: 0 },
  { state: { completion }, settlement: undefined, chargeUsd: 0 },
  { state: {}, settlement: unpaid, chargeUsd: undefined },
  { state: {}, settlement: undecided, chargeUsd: undefined },
  { state: {}, settlement: charged(0.2), chargeUsd: 0.2 },
])('a chat that comes too late for its row counts $chargeUsd after $settlement', (row) => {
  const { state, settlement, chargeUsd } = row;
  const move = { from: 'submitting', to: 'succeeded', state, settlement } as const;
  expect(lateChargeOf(move)).toBe(chargeUsd);
});
