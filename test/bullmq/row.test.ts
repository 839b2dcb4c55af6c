import { expect, test } from 'vitest';

import { jobIdOf } from '../../src/bullmq/stored-row.ts';

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
