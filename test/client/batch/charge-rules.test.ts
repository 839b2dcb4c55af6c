import { describe, expect, test } from 'vitest';

import {
  failedRow,
  verdictOfFailure,
  withEarlierCharge,
} from '../../../src/client/batch/charge-rules.ts';
import type { FailureFacts, SubmissionFacts } from '../../../src/client/batch/charge-rules.ts';
import { notRecordedError, unsentError } from '../../../src/client/batch/row-errors.ts';
import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { createError } from '../../../src/errors/message.ts';
import {
  AbortedError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  PaymentRequiredError,
} from '../../../src/index.ts';
import type { Verdict } from '../../../src/paid/verdict.ts';

const rejected = new BadRequestError('400', { meta: emptyMeta(400), outcome: 'rejected' });
const unpaid = new PaymentRequiredError('402', { meta: emptyMeta(402), outcome: 'rejected' });
const refused = new ConnectionError('refused', { outcome: 'not-sent' });
const lost = new ConnectionError('reset', { outcome: 'unknown' });
const unsent = new AbortedError('aborted', { outcome: 'not-sent' });
const aborted = new AbortedError('aborted', { outcome: 'unknown' });
const invalid = new ConfigurationError('invalid');
const thrown = new Error('thrown by a callback');

const task: SubmissionFacts = { recordedBy: 'this-run', isChargedOnce: true };
const chat: SubmissionFacts = { recordedBy: 'this-run', isChargedOnce: false };
const notRecorded = { recordedBy: undefined };
const earlier = { recordedBy: 'earlier-run' } as const;

describe('the verdict about the submission of a row', () => {
  test.each<[string, SubmissionFacts, unknown, Verdict['money']]>([
    ['a rejected task', task, rejected, 'none'],
    ['a task that the balance does not cover', task, unpaid, 'none'],
    ['a task whose connection was refused', task, refused, 'none'],
    ['a task that was invalid', task, invalid, 'none'],
    ['a task whose response was lost', task, lost, 'unknown'],
    ['a task that was aborted before it was sent', task, unsent, 'unknown'],
    ['a task that was aborted in flight', task, aborted, 'unknown'],
    ['a task that failed with an error of a callback', task, thrown, 'unknown'],
    ['a task that was not recorded', { ...task, ...notRecorded }, rejected, 'none'],
    ['an aborted task that was not recorded', { ...task, ...notRecorded }, unsent, 'none'],
    ['a task whose callback has lost a response', { ...task, ...notRecorded }, lost, 'none'],
    ['a task of an earlier run that is rejected now', { ...task, ...earlier }, rejected, 'unknown'],
    ['a task of an earlier run that is lost again', { ...task, ...earlier }, lost, 'unknown'],
    ['a task of an earlier run that was not sent', { ...task, ...earlier }, unsent, 'unknown'],

    ['a rejected chat', chat, rejected, 'none'],
    ['a chat that the balance does not cover', chat, unpaid, 'none'],
    ['a chat whose connection was refused', chat, refused, 'none'],
    ['a chat whose response was lost', chat, lost, 'unknown'],
    ['a chat that was aborted before it was sent', chat, unsent, 'none'],
    ['a chat that was aborted in flight', chat, aborted, 'unknown'],
    ['a chat that failed with an error of a callback', chat, thrown, 'unknown'],
    ['a chat that was not recorded', { ...chat, ...notRecorded }, unsent, 'none'],
  ])('%s', (_, facts, error, expected) => {
    expect(verdictOfFailure(facts, error).money).toBe(expected);
  });

  test('an error that names a task keeps it, whatever its outcome', () => {
    const error = Object.defineProperty(
      new BadRequestError('400', { meta: emptyMeta(400), outcome: 'rejected' }),
      'task',
      { value: {} },
    );
    expect(verdictOfFailure(task, error).money).toBe('unknown');
  });
});

describe('a row that has failed', () => {
  const planned = {
    hasTask: false,
    mayBeCharged: false,
    isRecorded: false,
    isChargedOnce: true,
    isPauseReason: false,
  };
  const sent = { ...planned, isRecorded: true };
  const open = { ...sent, mayBeCharged: true };
  const taskAdvice = 'submit the row again only under its idempotency key.';
  const chatAdvice = 'if the row is sent again, you may pay for it a second time.';

  test.each<[string, FailureFacts, Error, 'failed' | 'unknown', advice?: string]>([
    ['because its callback has thrown', planned, thrown, 'failed'],
    ['because its callback has lost a response', planned, lost, 'unknown'],
    ['because it was rejected', sent, rejected, 'failed'],
    ['because its response was lost', sent, lost, 'unknown'],
    ['because the balance does not cover it', { ...sent, isPauseReason: true }, unpaid, 'failed'],
    ['because it was rejected now, an open task', open, rejected, 'unknown', taskAdvice],
    [
      'because its callback has thrown, an open task',
      { ...open, isRecorded: false },
      thrown,
      'unknown',
    ],
    [
      'because it was rejected now, an open chat',
      { ...open, isChargedOnce: false },
      rejected,
      'unknown',
      chatAdvice,
    ],
    ['because its response was lost again', open, lost, 'unknown'],
    [
      'because the balance does not cover it, an open task',
      { ...open, isPauseReason: true },
      unpaid,
      'unknown',
    ],
    ['because the wait for its task was aborted', { ...open, hasTask: true }, unsent, 'unknown'],
  ])('%s', (_, facts, error, status, advice) => {
    const end = failedRow(facts, error);
    expect(end.status).toBe(status);
    if (advice === undefined) expect(end.error).toBe(error);
    else
      expect(end.error).toMatchObject({
        message: expect.stringContaining(advice),
        outcome: 'unknown',
      });
  });
});

describe('the error of a request after an earlier one that may have been charged', () => {
  const advice = 'An earlier one may have been charged.';

  test('replaces what the message says about charges, and nothing else', () => {
    const error = createError(
      BadRequestError,
      { summary: '400: bad.', charge: 'Nothing was charged.', request: 'POST /v1/x' },
      { meta: emptyMeta(400), outcome: 'rejected', code: 'bad', idempotencyKey: 'k1' },
    );
    const restated = withEarlierCharge(error, advice);
    expect(restated).toBeInstanceOf(BadRequestError);
    expect(BadRequestError.is(restated)).toBe(true);
    expect(restated).toMatchObject({
      name: 'BadRequestError',
      message: `400: bad. ${advice} [POST /v1/x]`,
      outcome: 'unknown',
      status: 400,
      code: 'bad',
      idempotencyKey: 'k1',
    });
    expect(restated.stack).toBe(error.stack?.replace('Nothing was charged.', advice));
    expect(restated).toHaveProperty('meta', error.meta);
    expect(Object.keys(restated.toJSON())).toEqual(Object.keys(error.toJSON()));
    expect(withEarlierCharge(restated, 'Something else.')).toBe(restated);
    // Other rows may hold the same error.
    expect(error).toMatchObject({
      outcome: 'rejected',
      message: expect.stringContaining('Nothing'),
    });
  });

  test('adds it to the message of an error that says nothing about charges', () => {
    const restated = withEarlierCharge(refused, advice);
    expect(restated).toMatchObject({ message: `refused ${advice}`, outcome: 'unknown' });
    expect(Object.keys(restated)).toEqual(Object.keys(refused));
  });

  test.each([lost, invalid, thrown])('stays as it is if it claims nothing: %s', (error) => {
    expect(withEarlierCharge(error, advice)).toBe(error);
  });
});

describe('the error of a row that was not sent now, and may have been charged before', () => {
  const advice = 'This request was not charged, but an earlier one may have been.';

  test.each([
    [
      'a row that could not be recorded does not claim that nothing was sent for it',
      notRecordedError(new Error('ENOSPC')),
      `journal: appending failed (Error: ENOSPC). ${advice}`,
    ],
    [
      'an aborted row ends with what to do',
      unsentError('stop'),
      `The row was aborted before this run sent it, so this run was not charged for it. ${advice} To continue, run the batch again.`,
    ],
  ])('%s', (_, error, message) => {
    expect(withEarlierCharge(error, advice)).toMatchObject({ message, outcome: 'unknown' });
  });
});
