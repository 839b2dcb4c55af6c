/** Tasks whose `submit` lines are damaged: an earlier run may have been charged for them. */
import { expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { image, onMock } from '../support.ts';
import { lineTypes, memoryJournal } from './support.ts';

const route = 'POST /v1/images/tasks';

/** A journal of a task that was paid for and lost. Its line is damaged, and others follow. */
async function damaged() {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const journal = memoryJournal();
  const run = (prompt: string, signal?: AbortSignal) => {
    const describeRow = () => gateway.images.submission({ ...image, prompt });
    return mock.clock.settle(collect(gateway.batch(['a'], describeRow, { journal, signal })));
  };
  mock.fail({ route, reset: 'after', times: 1 });
  await run('A harbor');
  const [first = '', submit = ''] = journal.lines;
  journal.lines.splice(0, 2, first, submit.slice(0, 30), first);
  return { mock, journal, run };
}

test('a rejection says nothing about what an earlier run may have sent', async () => {
  const { mock, journal, run } = await damaged();
  mock.fail({ route, status: 404, times: 1 });
  const [result] = await run('A harbor');
  expect(result).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
  expect(lineTypes({ ...journal, lines: journal.lines.slice(3) })).toEqual(['submit']);
  // Other params would have another key.
  expect(await run('A pier')).toMatchObject([{ status: 'unknown', error: { reason: 'invalid' } }]);
  expect(mock.invoice).toHaveLength(1);
  expect(await run('A harbor')).toMatchObject([{ status: 'succeeded' }]);
  expect(mock.invoice).toHaveLength(1);
});

test('a key that the service rejects as invalid was not charged', async () => {
  const { mock, run } = await damaged();
  mock.fail({ route, status: 400, code: 'invalid_idempotency_key', times: 1 });
  expect(await run('A harbor')).toMatchObject([
    { status: 'failed', error: { outcome: 'rejected' } },
  ]);
});
