import { expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  chargedKeys,
  describeImage,
  lineTypes,
  memoryJournal,
  newProcess,
  numbers,
  paused,
  pausedImages,
  runImageBatch,
  submitStatuses,
} from './support.ts';

const submits = 'POST /v1/images/tasks';

test('without a journal, the rows that a paused batch did not yield can be run again', async () => {
  const world = onMock({ latencyMs: 100 });
  const emptyBalance = world.mock.fail({ route: submits, status: 402, attempt: [3, 4, 5, 6] });
  const { rows } = await pausedImages(world, numbers(20));
  emptyBalance.remove();
  const yielded = new Set(rows.map(({ input }) => input));
  const open = numbers(20).filter((row) => !yielded.has(row));
  const rest = await runImageBatch(newProcess(world), open);
  expect([...rows, ...rest].map(({ status }) => status)).toEqual(Array(20).fill('succeeded'));
  expect(world.mock.invoice).toHaveLength(20);
});

test('a row that may have been charged before its 402 is yielded with its key', async () => {
  const world = onMock({}, { concurrency: 1 });
  world.mock.fail({ route: submits, reset: 'after', times: 1 });
  world.mock.fail({ route: submits, status: 402 });
  const { rows, error } = await pausedImages(world, numbers(3));
  const { idempotencyKey } = world.mock.invoice[0] ?? {};
  expect(rows).toMatchObject([
    { status: 'unknown', idempotencyKey, error: { outcome: 'unknown' } },
  ]);
  expect(error).toMatchObject({ rowsDone: 0, rowsOpen: 2, outcome: 'rejected' });
});

test('a row that an earlier run may have paid for is not reported as free of charge', async () => {
  const world = onMock();
  const journal = memoryJournal();
  const drop = world.mock.fail({ route: submits, reset: 'after' });
  await runImageBatch(newProcess(world, { maxRetries: 0 }), [1], { journal });
  drop.remove();
  const emptyBalance = world.mock.fail({ route: submits, status: 402 });
  const { rows, error } = await pausedImages(newProcess(world), [1], { journal });
  expect(rows).toEqual([]);
  expect(error).toMatchObject({ outcome: 'unknown', rowsDone: 0, rowsOpen: 1 });
  expect(error.message).toContain('not charged for them, but an earlier run may have been');
  emptyBalance.remove();
  const again = await runImageBatch(newProcess(world), [1], { journal });
  expect(again).toMatchObject([{ status: 'succeeded', task: { replayed: true } }]);
  expect(world.mock.invoice).toHaveLength(1);
});

test('a paused batch that has not reached a row of an earlier run does not report it as free of charge', async () => {
  const world = onMock({}, { concurrency: 1 });
  const journal = memoryJournal();
  const options = { journal, id: String };
  const drop = world.mock.fail({ route: submits, reset: 'after' });
  await runImageBatch(newProcess(world, { maxRetries: 0 }), [99], options);
  drop.remove();
  world.mock.fail({ route: submits, status: 402 });
  const { error } = await pausedImages(world, numbers(100), options);
  expect(error).toMatchObject({ outcome: 'unknown', rowsOpen: 100 });
  expect(error.message).toContain('but an earlier run may have been');
});

test('a row that a 402 kept from being sent can be submitted with other params', async () => {
  const world = onMock({}, { concurrency: 1 });
  const journal = memoryJournal();
  const emptyBalance = world.mock.fail({ route: submits, status: 402 });
  await pausedImages(world, numbers(5), { journal });
  emptyBalance.remove();
  const { mock, gateway } = newProcess(world);
  const other = () => gateway.images.submission({ model: 'prism-image', prompt: 'Another' });
  const rows = await mock.clock.settle(collect(gateway.batch(numbers(5), other, { journal })));
  expect(rows.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
  expect(mock.invoice).toHaveLength(5);
});

test('a recovery stops submitting at the first 402, and still waits for accepted rows', async () => {
  const world = onMock({ tasks: { durationMs: 1_000 } });
  const journal = memoryJournal();
  const options = { journal, storeParams: true };
  const lost = world.mock.fail({ route: submits, reset: 'before', times: 40 });
  const { gateway } = newProcess(world, { maxRetries: 0 });
  await runImageBatch({ ...world, gateway }, numbers(40), options);
  lost.remove();
  const accepted = newProcess(world).gateway;
  const batch = accepted.batch(['last'], describeImage(accepted), {
    ...options,
    id: (row) => row,
  });
  await world.mock.clock.settle(batch.next());
  await batch.return();
  const before = world.mock.requests.length;
  world.mock.fail({ route: submits, status: 402 });
  const { gateway: poorGateway } = newProcess(world, { concurrency: 1 });
  const { rows, error } = await paused(world, poorGateway.recover(journal));
  expect(rows).toMatchObject([{ id: 'last', status: 'succeeded' }]);
  expect(error).toMatchObject({ rowsDone: 1, rowsOpen: 40, outcome: 'unknown' });
  expect(submitStatuses(world.mock).slice(-1)).toEqual([402]);
  const sent = world.mock.requests.slice(before).filter(({ method }) => method === 'POST');
  expect(sent).toHaveLength(1);
});

test('a recovery after a top-up submits the rows that a 402 rejected, if their params are stored', async () => {
  const world = onMock({ latencyMs: 100 }, { concurrency: 2 });
  const journal = memoryJournal([], { storeParams: true });
  const emptyBalance = world.mock.fail({ route: submits, status: 402 });
  await pausedImages(world, numbers(10), { journal });
  const { error } = await paused(world, newProcess(world).gateway.recover(journal));
  expect(error).toMatchObject({ rowsDone: 0, rowsOpen: 10, outcome: 'rejected' });
  emptyBalance.remove();

  // A process that ends without a response leaves rows that must be resent with their keys.
  const drop = world.mock.fail({ route: submits, reset: 'after' });
  const interrupted = newProcess(world, { maxRetries: 0 }).gateway.recover(journal);
  const unknown = await world.mock.clock.settle(collect(interrupted));
  expect(unknown.map(({ status }) => status)).toEqual(Array(10).fill('unknown'));
  // Other params would be another order: they must be rejected from now on.
  const other = () => world.gateway.images.submission({ model: 'prism-image', prompt: 'Another' });
  const changed = world.gateway.batch(numbers(10), other, { journal });
  for (const { error: refusal } of await world.mock.clock.settle(collect(changed))) {
    expect(refusal?.message).toContain('its params differ from an earlier submission');
  }
  drop.remove();
  const rows = await world.mock.clock.settle(collect(newProcess(world).gateway.recover(journal)));
  expect(rows.map(({ status }) => status)).toEqual(Array(10).fill('succeeded'));
  const again = await runImageBatch(newProcess(world), numbers(10), { journal });
  expect(again.map(({ status }) => status)).toEqual(Array(10).fill('succeeded'));
  expect(world.mock.invoice).toHaveLength(10);
  expect(chargedKeys(world.mock).size).toBe(10);
});

test('a row that is described only after the 402 gets no line in the journal', async () => {
  const world = onMock({ wallet: { usd: 0 } });
  const { mock, gateway } = world;
  const journal = memoryJournal();
  const describeRow = async (row: number) => {
    await mock.clock.sleep(row * 60_000);
    return describeImage(gateway)(row);
  };
  const { error } = await paused(world, gateway.batch(numbers(5), describeRow, { journal }));
  expect(error.rowsOpen).toBe(5);
  expect(lineTypes(journal)).toEqual(['run', 'submit', 'refused']);
});

test('a recovery that pauses does not count finished rows as possibly charged', async () => {
  const world = onMock({}, { concurrency: 1 });
  const journal = memoryJournal([], { storeParams: true });
  world.mock.fail({ route: submits, status: 402, attempt: [2, 3] });
  await pausedImages(world, numbers(5), { journal });
  expect(lineTypes(journal)).toContain('finished');
  const { error } = await paused(world, newProcess(world).gateway.recover(journal));
  expect(error.outcome).toBe('rejected');
  expect(error.message).not.toContain('an earlier run');
});

test('a recovery submits no row that was rejected for another reason than a 402', async () => {
  const world = onMock();
  const journal = memoryJournal([], { storeParams: true });
  world.mock.fail({ route: submits, status: 400, times: 1 });
  expect(await runImageBatch(world, [1], { journal })).toMatchObject([{ status: 'failed' }]);
  expect(await collect(newProcess(world).gateway.recover(journal))).toEqual([]);
  expect(submitStatuses(world.mock)).toEqual([400]);
});

test('a row that was charged after it had waited for a slot is unknown if it gets no other slot in time', async () => {
  const world = onMock({ latencyMs: 10 }, { concurrency: 1, maxQueueTime: 3_000 });
  const journal = memoryJournal();
  const { mock } = world;
  mock.fail({ route: submits, status: 429, code: 'concurrency_limit_exceeded', attempt: 1 });
  mock.fail({ route: submits, reset: 'after', attempt: 2 });
  mock.fail({ route: submits, status: 402, delayMs: 6_000, attempt: 3 });
  const { rows, error } = await pausedImages(world, ['a', 'b'], { journal });
  const { idempotencyKey } = mock.invoice[0] ?? {};
  expect(rows).toMatchObject([
    { input: 'a', status: 'unknown', idempotencyKey, error: { outcome: 'unknown' } },
  ]);
  expect(error).toMatchObject({ rowsDone: 0, rowsOpen: 1 });
  expect(error.message).toContain('Rows with unknown outcome: 1; they may have been charged.');
  // Only row b was certainly not charged.
  expect(lineTypes(journal)).toEqual(['run', 'submit', 'submit', 'refused']);
  const again = await runImageBatch(newProcess(world), ['a', 'b'], { journal });
  expect(again.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(mock.invoice).toHaveLength(2);
});

test.each([
  ['503', { status: 503, retryAfter: 30 }],
  ['429', { status: 429, code: 'rate_limited', retryAfter: 30 }],
  ['429 for lack of a slot', { status: 429, code: 'concurrency_limit_exceeded', retryAfter: 30 }],
])('a row that waits after a %s is not sent again after the 402', async (_, fault) => {
  const world = onMock({ latencyMs: 100 }, { concurrency: 4 });
  const { mock } = world;
  mock.fail({ route: submits, ...fault, attempt: [1, 2] });
  mock.fail({ route: submits, status: 402, attempt: 3 });
  const { rows, error } = await pausedImages(world, numbers(10));
  expect(submitStatuses(mock)).toEqual([fault.status, fault.status, 402, 202]);
  expect(rows.map(({ status }) => status)).toEqual(['succeeded']);
  expect(error).toMatchObject({ rowsDone: 1, rowsOpen: 9, outcome: 'rejected' });
});

test('a row whose request was lost is sent again after the 402', async () => {
  const world = onMock({ latencyMs: 100 }, { concurrency: 2 });
  const { mock } = world;
  mock.fail({ route: submits, reset: 'after', attempt: 1 });
  mock.fail({ route: submits, status: 402, attempt: 2 });
  const { rows } = await pausedImages(world, numbers(10));
  expect(rows).toMatchObject([{ status: 'succeeded', task: { replayed: true } }]);
  expect(mock.invoice).toHaveLength(1);
});

test('a pause does not wait for the Retry-After of a row without a slot', async () => {
  const world = onMock({ latencyMs: 100 }, { concurrency: 2 });
  const { mock } = world;
  const busy = { status: 429, code: 'concurrency_limit_exceeded', retryAfter: 3_600 };
  mock.fail({ route: submits, ...busy, attempt: 1 });
  mock.fail({ route: submits, status: 402, attempt: 2 });
  const startedAt = mock.clock.now();
  const { error } = await pausedImages(world, numbers(10));
  expect(error).toMatchObject({ rowsDone: 0, rowsOpen: 10 });
  expect(mock.clock.now() - startedAt).toBeLessThan(60_000);
});

test('rows that are added to the array while the batch runs are counted', async () => {
  const world = onMock({ tasks: { durationMs: 0 } }, { concurrency: 1 });
  const { mock, gateway } = world;
  mock.fail({ route: submits, status: 402, attempt: numbers(100).slice(41) });
  const inputs = numbers(30);
  const describe = describeImage(gateway);
  const batch = gateway.batch(inputs, (input) => {
    if (inputs.length < 50) inputs.push(inputs.length);
    return describe(input);
  });
  const { rows, error } = await paused(world, batch);
  expect(rows).toHaveLength(40);
  expect(error).toMatchObject({ rowsDone: 40, rowsOpen: 10 });
});

test('a row that was charged is unknown if its retry fails before it is sent', async () => {
  let calls = 0;
  const world = onMock();
  const { mock } = world;
  const apiKey = () => {
    calls += 1;
    return calls === 2 ? '' : mock.apiKey;
  };
  const journal = memoryJournal();
  mock.fail({ route: submits, reset: 'after', attempt: 1 });
  const [row] = await runImageBatch(newProcess(world, { apiKey }), ['a'], { journal });
  expect(row).toMatchObject({
    status: 'unknown',
    error: { name: 'ConfigurationError', outcome: 'unknown' },
  });
  expect(lineTypes(journal)).toEqual(['run', 'submit']);
  const [again] = await runImageBatch(newProcess(world), ['a'], { journal });
  expect(again).toMatchObject({ status: 'succeeded', task: { replayed: true } });
  expect(mock.invoice).toHaveLength(1);
});
