/** Tasks whose `submit` lines are damaged: an earlier run may have been charged for them. */
import { PaymentRequiredError } from 'polygate';
import { expect, test } from 'vitest';

import { collect, rejection } from '../../support/rejection.ts';
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

test('a refusal of other params does not free the key of a damaged line', async () => {
  const { mock, gateway } = onMock({}, { maxRetries: 0 });
  const journal = memoryJournal();
  const run = (prompt: string) => {
    const describeRow = () => gateway.images.submission({ ...image, prompt });
    return mock.clock.settle(collect(gateway.batch(['a'], describeRow, { journal })));
  };
  mock.fail({ route, reset: 'after', times: 1 });
  await run('A harbor');
  const [first = '', harbor = ''] = journal.lines.splice(0);
  // Another run has sent other params at the same moment, so it found no line of this one.
  journal.lines.push(first);
  mock.fail({ route, status: 402, times: 1 });
  await rejection(PaymentRequiredError, run('A pier'));
  journal.lines.splice(1, 0, harbor.slice(0, 30));
  expect(lineTypes({ ...journal, lines: journal.lines.toSpliced(1, 1) })).toEqual([
    'run',
    'submit',
    'refused',
  ]);
  expect(await run('A harbor')).toMatchObject([{ status: 'succeeded' }]);
  expect(mock.invoice).toHaveLength(1);
});
