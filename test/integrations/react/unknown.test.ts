import type { MockGatewayOptions } from 'polygate/mock';
import { describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { image, onMock, rejection } from './setup.ts';
import { memoryStorage, openTab, storageKey } from './support.ts';

const route = 'POST /v1/images/tasks';

/** A generation whose request was charged, but whose response was lost, after a reload. */
async function afterLostResponse(storeParams: boolean, settings: MockGatewayOptions = {}) {
  const { mock, gateway } = onMock(settings, { maxRetries: 0 });
  const memory = memoryStorage();
  const options = {
    storage: memory.storage,
    storeParams,
    onError: vi.fn<(error: Error) => void>(),
  };
  const tab = openTab(gateway.images, options);
  mock.fail({ route, reset: 'after', times: 1 });
  expect(await mock.clock.settle(tab.store.generate(image))).toBeUndefined();
  expect(tab.now).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
  expect(options.onError).toHaveBeenCalledOnce();
  tab.close();
  const reloaded = openTab(gateway.images, options);
  await eventually(() => expect(reloaded.now.status).toBe('unknown'));
  return { mock, gateway, tab: reloaded, options, ...memory };
}

test('the key and a fingerprint are stored before the request, and the receipt after it', async () => {
  const { mock, gateway } = onMock();
  const { storage, entry } = memoryStorage();
  let atRequest: any;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method === 'POST') atRequest = entry();
    return mock.fetch(input, init);
  };
  const tab = openTab(gateway.withOptions({ fetch }).images, { storage });
  await mock.clock.settle(tab.store.generate(image));
  const key = mock.invoice[0]?.idempotencyKey;
  expect(atRequest).toMatchObject({ v: 1, key, params: image });
  expect(atRequest.fingerprint).toMatch(/\w+-\w+/);
  expect(atRequest).not.toHaveProperty('receipt');
  expect(entry()).toMatchObject({ key, receipt: { id: mock.invoice[0]?.taskId } });
  expect(entry()).not.toHaveProperty('params');
});

describe('after a lost response', () => {
  test('resume sends the same key and the stored params, and nothing is charged twice', async () => {
    const { mock, tab, options } = await afterLostResponse(true);
    expect(await mock.clock.settle(tab.store.resume())).toMatchObject({ status: 'succeeded' });
    const [first, second] = mock.requests.filter(({ method }) => method === 'POST');
    expect(second?.headers['x-idempotency-key']).toBe(first?.headers['x-idempotency-key']);
    expect(second?.body).toEqual(first?.body);
    expect(mock.invoice).toHaveLength(1);
    expect(options.onError).toHaveBeenCalledOnce();
  });

  test('generate with the same params uses the stored key', async () => {
    const { mock, tab } = await afterLostResponse(false);
    await mock.clock.settle(tab.store.generate({ ...image }));
    expect(tab.now.status).toBe('succeeded');
    expect(mock.invoice).toHaveLength(1);
  });

  test('generate with params of the same length and hash rejects, because they are others', async () => {
    const { mock, gateway } = onMock({}, { maxRetries: 0 });
    mock.fail({ route, reset: 'after', times: 1 });
    const tab = openTab(gateway.images, { storage: memoryStorage().storage });
    await mock.clock.settle(tab.store.generate({ ...image, prompt: 'Plan Aa' }));
    const other = rejection(tab.store.generate({ ...image, prompt: 'Plan BB' }));
    expect(await mock.clock.settle(other)).toMatchObject({ code: 'outcome_unknown' });
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('generate with other params rejects until resume or reset', async () => {
    const { mock, tab } = await afterLostResponse(true);
    const other = { ...image, prompt: 'A lighthouse' };
    expect(await rejection(tab.store.generate(other))).toMatchObject({ code: 'outcome_unknown' });
    expect(tab.now.status).toBe('unknown');
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    tab.store.reset();
    await mock.clock.settle(tab.store.generate(other));
    expect(mock.invoice).toHaveLength(2);
  });

  test('resume without stored params rejects and sends nothing', async () => {
    const { mock, tab, items } = await afterLostResponse(false);
    expect(items.get(storageKey)).not.toContain(image.prompt);
    const { length } = mock.requests;
    expect(await rejection(tab.store.resume())).toMatchObject({ code: 'params_not_stored' });
    expect(mock.requests).toHaveLength(length);
    expect(tab.now.status).toBe('unknown');
  });

  test('a rejection of the retry does not forget the key', async () => {
    const { mock, tab } = await afterLostResponse(true);
    mock.fail({ route, status: 402, times: 1 });
    expect(await mock.clock.settle(tab.store.resume())).toBeUndefined();
    expect(tab.now).toMatchObject({
      status: 'unknown',
      error: { name: 'PaymentRequiredError', outcome: 'unknown' },
    });
    expect(tab.now.error?.message).toContain('an earlier one may have been');
    expect(tab.now.error?.message).not.toContain('Nothing was charged');
    await mock.clock.settle(tab.store.resume());
    expect(tab.now.status).toBe('succeeded');
    expect(mock.invoice).toHaveLength(1);
  });

  test('a response that proves that no request was charged ends the generation, and another one can start', async () => {
    const { mock, tab, options, items } = await afterLostResponse(true);
    const code = 'invalid_idempotency_key';
    mock.fail({ route, status: 400, code, times: 1 });
    expect(await mock.clock.settle(tab.store.resume())).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'failed', isPending: false, error: { code } });
    expect(items.get(storageKey)).toBeUndefined();
    expect(options.onError).toHaveBeenCalledOnce();
    const other = { ...image, prompt: 'A lighthouse' };
    await mock.clock.settle(tab.store.generate(other));
    expect(tab.now.status).toBe('succeeded');
  });

  test('a damaged receipt leaves the key, which reaches the task', async () => {
    const { mock, gateway } = onMock();
    const { storage, items, entry } = memoryStorage();
    const tab = openTab(gateway.images, { storage });
    void tab.store.generate(image);
    await eventually(() => expect(tab.now.status).toBe('queued'));
    tab.close();
    items.set(storageKey, JSON.stringify({ ...entry(), receipt: { id: '..' } }));
    const reloaded = openTab(gateway.images, { storage });
    await eventually(() => expect(reloaded.now.status).toBe('unknown'));
    await mock.clock.settle(reloaded.store.generate(image));
    expect(reloaded.now.status).toBe('succeeded');
    expect(mock.invoice).toHaveLength(1);
  });
});

test('a response that was not understood leads to its task', async () => {
  const { mock, gateway } = onMock();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await mock.fetch(input, init);
    if (init?.method !== 'POST') return response;
    const { id } = (await response.json()) as { id: string };
    return Response.json({ id, status: 7 }, { headers: response.headers, status: 202 });
  };
  const tab = openTab(gateway.withOptions({ fetch }).images);
  await mock.clock.settle(tab.store.generate(image));
  expect(tab.now.status).toBe('succeeded');
  expect(mock.invoice).toHaveLength(1);
});

test('resume without a generation rejects', async () => {
  const { gateway } = onMock();
  const { storage } = memoryStorage();
  const tab = openTab(gateway.images, { storage });
  expect(await rejection(tab.store.resume())).toMatchObject({ code: 'nothing_to_resume' });
});

test('a rejection that names a task, which may be that of another body, does not show its result', async () => {
  const { mock, gateway } = onMock();
  const other = await mock.clock.settle(gateway.images.submit(image));
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method !== 'POST') return mock.fetch(input, init);
    const error = { code: 'idempotency_conflict', message: 'The key was used for another body.' };
    const headers = { 'content-type': 'application/json', 'x-svc-task-id': other.id };
    return new Response(JSON.stringify({ error }), { status: 409, headers });
  };
  const tab = openTab(gateway.withOptions({ fetch }).images, { storage: memoryStorage().storage });
  await mock.clock.settle(tab.store.generate({ ...image, prompt: 'Another harbor' }));
  expect(tab.now).toMatchObject({ status: 'failed', error: { status: 409 } });
  expect(mock.invoice).toHaveLength(1);
});
