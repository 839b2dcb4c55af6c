import { expect, test } from 'vitest';

import { errorRecord, jobIdOf } from '../../../src/integrations/bullmq/row.ts';
import { badRequest } from './decisions/errors.ts';

test('ids of jobs are different for different ids, and never integers or with colons', () => {
  const ids = [
    '1',
    '1:2',
    'a b',
    'a%20b',
    'é',
    'e\u0301',
    '😀',
    '\ud800',
    '%ud800',
    'ud800',
    '\udc00x',
    '/',
    '\n',
    '\0',
    '..',
    'x'.repeat(10_000),
  ];
  const jobIds = ids.map(jobIdOf);
  expect(new Set(jobIds).size).toBe(ids.length);
  for (const jobId of jobIds) expect(jobId).toMatch(/^row-[\w.~%!'()*-]+$/);
});

test('an error is stored as plain JSON with its documented fields', () => {
  expect(errorRecord(badRequest, 'k')).toStrictEqual({
    name: 'BadRequestError',
    message: 'bad',
    reason: 'invalid',
    code: 'invalid',
    status: 400,
    outcome: 'rejected',
    idempotencyKey: 'k',
  });
  expect(errorRecord('text', undefined)).toStrictEqual({ name: 'Error', message: 'text' });
});
