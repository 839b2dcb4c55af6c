import { describe, expect, test } from 'vitest';

import { combineOutcomes, outcomeOf, outcomeOfUnread } from '../../../src/client/call/outcome.ts';
import type { Outcome } from '../../../src/index.ts';

/** The outcome of each status: with a body that names no uncertain code, and with an unread body. */
const statuses: readonly (readonly [status: number, read: Outcome, unread: Outcome])[] = [
  [0, 'unknown', 'unknown'],
  [301, 'rejected', 'rejected'],
  [303, 'unknown', 'unknown'],
  [400, 'rejected', 'rejected'],
  [402, 'rejected', 'rejected'],
  [404, 'rejected', 'rejected'],
  [408, 'unknown', 'unknown'],
  [409, 'rejected', 'unknown'],
  [429, 'rejected', 'rejected'],
  [500, 'unknown', 'unknown'],
  [502, 'unknown', 'unknown'],
  [503, 'rejected', 'unknown'],
  [504, 'unknown', 'unknown'],
];

describe('the outcome of an error response', () => {
  test.each(statuses)('with the status %i is %s', (status, read) => {
    expect(outcomeOf(status)).toBe(read);
    expect(outcomeOf(status, undefined, 0)).toBe(read);
  });

  test.each(statuses)('with the status %i and an unread body', (status, _, unread) => {
    expect(outcomeOfUnread({ status })).toBe(unread);
    expect(outcomeOfUnread({ status, chargeUsd: 0 })).toBe(unread);
  });

  test.each(statuses)('with the status %i and a charge is unknown', (status) => {
    expect(outcomeOf(status, undefined, 0.02)).toBe('unknown');
    expect(outcomeOfUnread({ status, chargeUsd: 0.02 })).toBe('unknown');
  });

  test.each([
    [409, 'attempt_repeated'],
    [503, 'material_create_outcome_uncertain'],
    [503, 'visual_verification_create_outcome_uncertain'],
  ])('with the status %i and the code %s is unknown', (status, code) => {
    expect(outcomeOf(status, code)).toBe('unknown');
  });
});

test('the outcome of a successful response that was not read is unknown', () => {
  expect(outcomeOfUnread({ status: 200, chargeUsd: 0 })).toBe('unknown');
});

describe('combineOutcomes', () => {
  const table: readonly (readonly [Outcome, Outcome, Outcome])[] = [
    ['not-sent', 'not-sent', 'not-sent'],
    ['not-sent', 'rejected', 'rejected'],
    ['not-sent', 'unknown', 'unknown'],
    ['rejected', 'not-sent', 'rejected'],
    ['rejected', 'rejected', 'rejected'],
    ['rejected', 'unknown', 'unknown'],
    ['unknown', 'not-sent', 'unknown'],
    ['unknown', 'rejected', 'unknown'],
    ['unknown', 'unknown', 'unknown'],
  ];

  test.each(table)('of %s and %s is %s', (previous, last, combined) => {
    expect(combineOutcomes(previous, last)).toBe(combined);
  });
});
