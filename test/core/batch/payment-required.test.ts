import { describe, expect, test, vi } from 'vitest';

import { BudgetExceededError, PaymentRequiredError } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { collect } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  chargedKeys,
  describeImage,
  lineTypes,
  memoryJournal,
  newProcess,
  numbers,
  runImageBatch,
} from './support.ts';

const submits = 'POST /v1/images/tasks';

/** A gateway whose balance pays for five images, and a batch of more. */
const poor = (settings: MockGatewayOptions = {}, options: PolygateOptions = {}) =>
  onMock({ wallet: { usd: 0.1 }, latencyMs: 100, ...settings }, options);

const submitStatuses = ({ requests }: MockGateway) =>
  requests.filter(({ method }) => method === 'POST').map(({ status }) => status);

describe('at the first 402 a batch', () => {
  test.each([1, 8])('sends no further request, with at most %d in flight', async (concurrency) => {
    const world = poor({}, { concurrency });
    const rows = await runImageBatch(world, numbers(100));
    const statuses = submitStatuses(world.mock);
    expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(5);
    // Requests that were in flight with the first rejected one may be rejected as well.
    expect(statuses.length - 5).toBeLessThanOrEqual(concurrency);
    expect(new Set(statuses)).toEqual(new Set([202, 402]));
  });

  test('sends no further request even if the response raises the concurrency limit', async () => {
    const world = onMock({ wallet: { usd: 0 }, concurrencyLimit: 8, latencyMs: 100 });
    await runImageBatch(world, numbers(100));
    // The window before the first response.
    expect(submitStatuses(world.mock)).toEqual([402, 402, 402, 402]);
  });

  test('yields every row that was pulled: accepted rows succeed, and all others fail with nothing charged', async () => {
    const world = poor({}, { concurrency: 1 });
    let pulled = 0;
    const rows = function* () {
      for (;;) yield pulled++;
    };
    const results = await runImageBatch(world, rows());
    expect(results).toHaveLength(pulled);
    const failed = results.filter(({ status }) => status === 'failed');
    expect(failed).toHaveLength(pulled - 5);
    for (const { error } of failed) expect(error).toBeInstanceOf(PaymentRequiredError);
    const withOutcome = (outcome: string) =>
      failed.filter(({ error }) => error && Reflect.get(error, 'outcome') === outcome);
    expect(withOutcome('rejected')).toHaveLength(1);
    const unsent = withOutcome('not-sent');
    expect(unsent).toHaveLength(failed.length - 1);
    for (const { error } of unsent) expect(error?.message).toContain('This row was not sent');
    expect(world.gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });

  test('waits for the rows that the service has accepted', async () => {
    const world = poor({ tasks: { durationMs: 600_000 } }, { concurrency: 1 });
    const rows = await runImageBatch(world, numbers(50));
    expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(5);
    expect(rows.at(-1)?.status).toBe('succeeded');
  });

  test('leaves unsent rows open in its journal, and continues after a top-up', async () => {
    const world = onMock({ latencyMs: 100 }, { concurrency: 2 });
    const journal = memoryJournal();
    const attempt = numbers(100).slice(6);
    const emptyBalance = world.mock.fail({ route: submits, status: 402, attempt });
    const first = await runImageBatch(world, numbers(30), { journal });
    expect(first.filter(({ status }) => status === 'succeeded')).toHaveLength(5);
    const types = lineTypes(journal);
    const count = (type: string) => types.filter((entry) => entry === type).length;
    expect(count('accepted')).toBe(5);
    expect(count('refused')).toBe(
      submitStatuses(world.mock).filter((status) => status === 402).length,
    );
    expect(count('submit')).toBeGreaterThan(count('accepted') + count('refused'));

    emptyBalance.remove();
    const second = await runImageBatch(newProcess(world), numbers(30), { journal });
    expect(second.filter(({ status }) => status === 'succeeded')).toHaveLength(30);
    expect(world.mock.invoice).toHaveLength(30);
    expect(chargedKeys(world.mock).size).toBe(30);
  });

  test('ends even if its source never yields another row', async () => {
    const world = onMock({ wallet: { usd: 0 } });
    const rows = async function* () {
      yield 1;
      await new Promise(() => undefined);
    };
    expect(await runImageBatch(world, rows())).toMatchObject([{ input: 1, status: 'failed' }]);
  });

  test('closes its source', async () => {
    const world = onMock({ wallet: { usd: 0 } });
    let closed = false;
    const rows = function* () {
      try {
        for (let row = 0; ; row += 1) yield row;
      } finally {
        closed = true;
      }
    };
    await runImageBatch(world, rows());
    expect(closed).toBe(true);
  });

  test('logs one warning that says how to continue', async () => {
    const warn = vi.fn<(message: string) => void>();
    const ignore = () => undefined;
    const logger = { error: ignore, warn, info: ignore, debug: ignore };
    const world = onMock({ wallet: { usd: 0 } }, { logger, logLevel: 'warn' });
    await runImageBatch(world, numbers(50));
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toMatch(/402.*top up.*same journal/is);
  });
});

test('a budget that is exceeded does not stop a batch: later rows may be cheaper', async () => {
  const world = onMock({}, { budget: { maxUsd: 0.03 } });
  await world.gateway.models.list();
  const models = ['prism-image', 'prism-image', 'prism-sketch'];
  const batch = world.gateway.batch(models, (model) =>
    world.gateway.images.submission({ model, prompt: 'A harbour' }),
  );
  const rows = await world.mock.clock.settle(collect(batch));
  expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(2);
  expect(rows.find(({ status }) => status === 'failed')?.error).toBeInstanceOf(BudgetExceededError);
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
  const results = await world.mock.clock.settle(
    collect(newProcess(world, { concurrency: 1 }).gateway.recover(journal)),
  );
  expect(results).toHaveLength(41);
  expect(results.filter(({ status }) => status === 'unknown')).toHaveLength(40);
  expect(results.find(({ id }) => id === 'last')?.status).toBe('succeeded');
  expect(submitStatuses(world.mock).slice(-1)).toEqual([402]);
  const sent = world.mock.requests.slice(before).filter(({ method }) => method === 'POST');
  expect(sent).toHaveLength(1);
});
