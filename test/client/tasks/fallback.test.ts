import { describe, expect, test, vi } from 'vitest';

import type { Charge } from '../../../src/index.ts';
import { failing, imageModels, modelsOf, submits } from '../call/fallback-support.ts';
import { caught, image, onMock } from '../support.ts';

describe('a task with one key', () => {
  const keyed = { ...imageModels, idempotencyKey: 'order-17' };

  test('sends the same key to all models', async () => {
    const { mock, gateway } = failing({ status: 503 });
    const task = await gateway.images.submit(image, keyed);
    expect(mock.requests.map(({ headers }) => headers['x-idempotency-key'])).toEqual([
      'order-17',
      'order-17',
    ]);
    expect(task).toMatchObject({ model: 'prism-sketch', idempotencyKey: 'order-17' });
    expect(task.toJSON()).toMatchObject({ model: 'prism-sketch' });
    expect(gateway.resume(task.toJSON()).model).toBe('prism-sketch');
  });

  test('has no model in its receipt without a fallback', async () => {
    const { gateway } = onMock();
    const task = await gateway.images.submit(image);
    expect(task.model).toBe(image.model);
    expect(JSON.parse(JSON.stringify(task))).not.toHaveProperty('model');
  });

  test.each(['replay', 'conflict'] as const)(
    'is paid for once if it is submitted again after a fallback: %s',
    async (A13) => {
      const { mock, gateway } = onMock({ assumptions: { A13 } }, { maxRetries: 0 });
      mock.fail({ model: image.model, status: 503, times: 1 });
      mock.fail({ model: 'prism-sketch', reset: 'after', times: 1 });
      const lost = await caught(gateway.images.submit(image, keyed));
      expect(lost).toMatchObject({ outcome: 'unknown' });
      const other = onMock({}, { baseURL: mock.baseURL, fetch: mock.fetch, apiKey: mock.apiKey });
      const task = await other.gateway.images.submit(image, keyed);
      expect(task).toMatchObject({ replayed: true, model: 'prism-sketch' });
      expect(mock.invoice).toHaveLength(1);
    },
  );

  test('finds the task of a model that is skipped after an overload', async () => {
    const { mock, gateway } = onMock({ assumptions: { A13: 'conflict' } }, { maxRetries: 0 });
    mock.fail({ model: image.model, reset: 'after', times: 1 });
    await caught(gateway.images.submit(image, keyed));
    mock.fail({ model: image.model, status: 503, times: 1 });
    await gateway.images.submit(image, { ...keyed, idempotencyKey: 'order-18' });
    const task = await gateway.images.submit(image, { ...keyed, fallbackOn: () => false });
    expect(task).toMatchObject({ replayed: true, model: image.model });
    expect(mock.invoice).toHaveLength(2);
  });

  test('fails with the conflict if the key belongs to a request outside the list', async () => {
    const { mock, gateway } = onMock({ assumptions: { A13: 'conflict' } });
    await gateway.images.submit({ ...image, prompt: 'Other' }, { idempotencyKey: 'order-17' });
    const error = await caught(gateway.images.submit(image, keyed));
    expect(error).toMatchObject({ status: 409, outcome: 'rejected' });
    expect(error.attempts).toHaveLength(2);
    expect(mock.invoice).toHaveLength(1);
  });

  test('names its model in errors, charges and the ledger', async () => {
    const onCharge = vi.fn<(charge: Charge) => void>();
    const { mock, gateway } = failing({ status: 503 }, { onCharge });
    mock.fail({ model: 'prism-sketch', malformed: true, route: submits });
    const error = await caught(gateway.images.submit(image, keyed));
    expect(error.task).toMatchObject({ model: 'prism-sketch' });
    expect(onCharge.mock.calls).toEqual([[expect.objectContaining({ model: 'prism-sketch' })]]);
    expect([...gateway.spend.byModel.keys()]).toEqual(['prism-sketch']);
  });
});

describe('the budget', () => {
  test('applies to each model', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.011 } });
    await gateway.models.list();
    const task = await gateway.images.submit(image, imageModels);
    expect(task.model).toBe('prism-sketch');
    expect(modelsOf(mock)).toEqual(['prism-sketch']);
  });

  test('keeps what an earlier request with the key may have cost', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.021 }, maxRetries: 0 });
    await gateway.models.list();
    const keyed = { ...imageModels, idempotencyKey: 'order-17' };
    mock.fail({ route: submits, reset: 'after', times: 1 });
    await caught(gateway.images.submit(image, keyed));
    mock.fail({ route: submits, status: 404, code: 'model_not_found', times: 2 });
    await caught(gateway.images.submit(image, keyed));
    const error = await caught(gateway.images.submit(image));
    expect(error.name).toBe('BudgetExceededError');
    expect(mock.invoice).toHaveLength(1);
  });
});
