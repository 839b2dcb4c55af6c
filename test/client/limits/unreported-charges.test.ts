import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { Charge, Polygate, PolygateOptions } from '../../../src/index.ts';
import { caught, chat, clientOf, drain, image, jsonReply, onMock, scripted } from '../support.ts';

const submits = 'POST /v1/images/tasks';
const chats = 'POST /v1/chat/completions';
const unreported = { headers: { 'x-svc-charge-usd': null } };

/** A gateway whose prices are loaded, and which reports no charges of the routes. */
async function withoutCharges(options: PolygateOptions, ...routes: string[]) {
  const charges: Charge[] = [];
  const onCharge = (charge: Charge) => void charges.push(charge);
  const { mock, gateway } = onMock({}, { onCharge, ...options });
  await gateway.models.list();
  for (const route of routes) mock.fail({ route, ...unreported });
  return { mock, gateway, charges };
}

const post = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('a response that reports no charge', () => {
  test.each<[string, (gateway: Polygate) => Promise<unknown>]>([
    ['a submit', (gateway) => gateway.images.submit(image)],
    ['a generation', (gateway) => gateway.images.generate(image)],
    ['gateway.fetch', (gateway) => gateway.fetch('/v1/images/tasks', post(image))],
    [
      'a fallback model',
      (gateway) =>
        gateway.images.submit(
          { ...image, model: 'no-such-model' },
          { fallback: [image.model], fallbackOn: () => true },
        ),
    ],
  ])('to %s counts its estimate toward the budget, but is not spent', async (_, send) => {
    const { mock, gateway, charges } = await withoutCharges({ budget: { maxUsd: 0.05 } }, submits);
    await mock.clock.settle(send(gateway));
    await mock.clock.settle(send(gateway));
    const error = await caught(mock.clock.settle(send(gateway)));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error.message).toContain('0 of 0.05 USD spent, 0.04 USD reserved');
    expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.02, 0.02]);
    expect(gateway.spend).toMatchObject({ totalUsd: 0, requests: 0 });
    expect(charges).toEqual([]);
  });

  test('counts toward the budget of a client that shares the ledger', async () => {
    const { mock, gateway } = await withoutCharges({}, submits);
    await gateway.images.submit(image);
    const limited = gateway.withOptions({ budget: { maxUsd: 0.03 } });
    expect(await caught(limited.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    expect(mock.invoice).toHaveLength(1);
  });

  test('counts once if its first response was lost and the retry is a replay', async () => {
    const { mock, gateway } = await withoutCharges({ budget: { maxUsd: 0.05 } });
    mock.fail({ route: submits, reset: 'after', times: 1 });
    mock.fail({ route: submits, ...unreported });
    const first = await mock.clock.settle(gateway.images.submit(image));
    expect(first.replayed).toBe(true);
    await gateway.images.submit(image);
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    expect(mock.invoice).toHaveLength(2);
  });

  test('counts once per key, and its charge replaces the estimate when a replay reports it', async () => {
    const { mock, gateway } = await withoutCharges({ budget: { maxUsd: 0.05 } });
    mock.fail({ route: submits, ...unreported, times: 3 });
    const options = { idempotencyKey: 'row-1' };
    for (let repeat = 0; repeat < 4; repeat += 1) await gateway.images.submit(image, options);
    expect(gateway.spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
    await gateway.images.submit(image);
    const error = await caught(gateway.images.submit(image));
    expect(error.message).toContain('0.04 of 0.05 USD spent, 0 USD reserved');
    expect(mock.invoice).toHaveLength(2);
  });

  test('does not make a key free again that the service has charged twice', async () => {
    const reported = ['0.02', '0.02', undefined, '0.02', '0.02'];
    let sent = 0;
    const fetch = async () => {
      const charge = reported[(sent += 1) - 1];
      const headers = new Headers(charge === undefined ? {} : { 'x-svc-charge-usd': charge });
      return Response.json({ id: 'task-1', object: 'image.task', status: 'queued' }, { headers });
    };
    const { mock, gateway: priced } = onMock({}, { budget: { maxUsd: 0.07 } });
    await priced.models.list();
    const gateway = priced.withOptions({ fetch });
    const options = { idempotencyKey: 'row-1' };
    for (let call = 0; call < 3; call += 1) await gateway.images.submit(image, options);
    expect(await caught(gateway.images.submit(image, options))).toBeInstanceOf(BudgetExceededError);
    expect(sent).toBe(3);
    expect(mock.invoice).toEqual([]);
  });

  test.each([
    ['none', false],
    [{ length: 1 }, false],
    ['none', true],
  ])(
    'keeps the task if the resolution prices are %j (budget: %s)',
    async (resolutionPrices, isLimited) => {
      const list = { object: 'list', data: [{ id: image.model, pricing: { resolutionPrices } }] };
      const task = { id: 'task-1', object: 'image.task', status: 'queued' };
      const { fetch } = scripted(jsonReply(200, list), jsonReply(200, task));
      const gateway = clientOf(fetch, isLimited ? { budget: { maxUsd: 5 } } : {});
      if (!isLimited) await gateway.models.list();
      const { id } = await gateway.images.submit({ ...image, resolution: '2K' });
      expect(id).toBe('task-1');
    },
  );

  test('keeps the reservation of a lost request if the replay costs nothing itself', async () => {
    const { mock, gateway, charges } = await withoutCharges({ budget: { maxUsd: 0.03 } });
    mock.fail({ route: submits, reset: 'after', times: 1 });
    mock.fail({ route: submits, headers: { 'x-svc-charge-usd': '0' } });
    await mock.clock.settle(gateway.images.submit(image));
    expect(gateway.spend).toMatchObject({ totalUsd: 0, requests: 0 });
    expect(charges).toEqual([expect.objectContaining({ usd: 0, replay: true })]);
    expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
    expect(mock.invoice).toHaveLength(1);
  });

  test('is free if it is an error', async () => {
    const { mock, gateway } = await withoutCharges({ budget: { maxUsd: 0.02 } });
    mock.fail({ route: submits, status: 400, times: 3 });
    for (let call = 0; call < 3; call += 1) await caught(gateway.images.submit(image));
    await gateway.images.submit(image);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each<[string, (gateway: Polygate) => Promise<unknown>]>([
    ['a chat', (gateway) => gateway.chat.completions.create(chat)],
    ['a streamed chat', (gateway) => drain(gateway.chat.completions.stream(chat))],
  ])('to %s counts the largest charge so far', async (_, send) => {
    const { mock, gateway } = await withoutCharges({ budget: { maxUsd: 0.07 } });
    mock.fail({ route: chats, headers: { 'x-svc-charge-usd': '0.02' }, times: 1 });
    mock.fail({ route: chats, ...unreported });
    for (let call = 0; call < 3; call += 1) await mock.clock.settle(send(gateway));
    const error = await caught(mock.clock.settle(send(gateway)));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error.message).toContain('0.02 of 0.07 USD spent, 0.04 USD reserved');
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  test('counts nothing while neither a price nor a charge is known', async () => {
    const { mock, gateway } = await withoutCharges({ budget: { maxUsd: 0.01 } }, chats);
    for (let call = 0; call < 3; call += 1) await gateway.chat.completions.create(chat);
    expect(mock.invoice).toHaveLength(3);
    expect(gateway.spend.totalUsd).toBe(0);
  });
});
