import { expect, test } from 'vitest';

import { modelsStoreOf, spendOf } from '../../../src/integrations/react/store/models-store.ts';
import { eventually } from '../../support/eventually.ts';
import { image, onMock } from './setup.ts';

test('models are loaded once for all components', async () => {
  const { mock, gateway } = onMock();
  const settings = { current: gateway };
  const store = modelsStoreOf(gateway);
  expect(modelsStoreOf(gateway)).toBe(store);
  expect(store.snapshot).toMatchObject({ models: [], isLoading: true });
  const stops = [1, 2].map(() => store.subscribe(() => undefined, settings));
  await eventually(() => expect(store.snapshot.isLoading).toBe(false));
  expect(store.snapshot.models.length).toBeGreaterThan(5);
  for (const stop of stops) stop();
  store.subscribe(() => undefined, settings)();
  expect(mock.requests).toHaveLength(1);
});

test('a failed list keeps the models that were loaded, and can be loaded again', async () => {
  const { mock, gateway } = onMock();
  const store = modelsStoreOf(gateway.withOptions({ maxRetries: 0 }));
  await store.refresh();
  const { models } = store.snapshot;
  expect(models.length).toBeGreaterThan(5);
  mock.fail({ route: 'GET /v1/models', status: 500, times: 1 });
  await store.refresh();
  expect(store.snapshot).toMatchObject({ models, isLoading: false, error: { status: 500 } });
  await Promise.all([store.refresh(), store.refresh()]);
  expect(store.snapshot.error).toBeUndefined();
  expect(mock.requests).toHaveLength(3);
});

test('the spend is an object that is replaced after each charge, and not after a replay', async () => {
  const { gateway } = onMock();
  const before = spendOf(gateway);
  expect(spendOf(gateway)).toBe(before);
  await gateway.images.submit(image, { idempotencyKey: 'k' });
  const after = spendOf(gateway);
  expect(after).toMatchObject({ totalUsd: gateway.spend.totalUsd, requests: 1 });
  expect([...after.byModel.keys()]).toEqual([image.model]);
  expect(before).toMatchObject({ totalUsd: 0, requests: 0 });
  await gateway.images.submit(image, { idempotencyKey: 'k' });
  expect(spendOf(gateway)).toBe(after);
});
