/** What a diagnosis spends. */
import { Polygate } from 'polygate';
import { optionsOf } from 'polygate/doctor';
import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import {
  findingAbout,
  findingOf,
  idsWith,
  invoicedUsd,
  possibleUsd,
  startMock,
} from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';
import { underpriced, withoutCharges, withoutKeys } from './wraps.ts';

/** The body that a fetch function is called with. */
const bodyOf = (init: RequestInit | undefined) => (typeof init?.body === 'string' ? init.body : '');

test('what the client reserves for charges that were not reported leaves the diagnosis its limit', async () => {
  const { run, mock, base } = startMock({}, withoutCharges);
  const gateway = new Polygate(base);
  await gateway.models.list();
  await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor', num_images: 8 });
  const before = invoicedUsd(mock);
  const { checks } = await run({ maxSpendUsd: 0.1 }, gateway);
  expect(checks.filter(({ detail }) => /Budget exceeded|strict budget/.test(detail))).toEqual([]);
  expect(invoicedUsd(mock)).toBeGreaterThan(before);
  expect(invoicedUsd(mock)).toBeLessThanOrEqual(before + 0.1);
});

const chatRoute = 'POST /v1/chat/completions';
const imageRoute = 'POST /v1/images/generations';

test('a second task under a reused key counts as spent', async () => {
  const { run, mock } = startMock({}, (fetch) => (input, init) => {
    const headers = new Headers(init?.headers);
    if (bodyOf(init).includes('A white square')) headers.delete('x-idempotency-key');
    return fetch(input, { ...init, headers });
  });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingAbout(diagnosis, 'A13').detail).toContain('creates a second task');
  expect(diagnosis.spentUsd).toBe(invoicedUsd(mock));
});

/** Returns the task of a key for another request, too, but charges for it. */
const chargedConflicts: Wrap = (fetch, mock) => async (input, init) => {
  const response = await fetch(input, init);
  if (!bodyOf(init).includes('A white square')) return response;
  const headers = new Headers(response.headers);
  headers.delete('x-svc-idempotent-replay');
  headers.set('x-svc-charge-usd', String(mock.invoice.at(-1)?.usd));
  return new Response(response.body, { status: response.status, headers });
};

test('a charge for a reused key counts as spent, even without a second task', async () => {
  const { run, mock } = startMock({}, chargedConflicts);
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(diagnosis.spentUsd).toBeCloseTo(invoicedUsd(mock) + 0.005, 9);
});

test.each([chatRoute, imageRoute])(
  'an abort during %s reports that it may have been charged',
  async (route) => {
    const { run, mock } = startMock();
    mock.fail({ route, stallHeaders: true });
    const controller = new AbortController();
    const running = run({ maxSpendUsd: 0.1, signal: controller.signal });
    await eventually(() => expect(mock.requests.at(-1)?.path).toBe(route.slice('POST '.length)));
    controller.abort();
    const id = route === chatRoute ? 'chat' : 'image-task';
    const { status, detail, advice } = findingOf(await running, id);
    expect([status, detail]).toEqual(['warning', expect.stringContaining('aborted')]);
    expect(advice).toMatch(/may have been charged \$0\.\d+/);
  },
);

test('an abort during a stream counts the charge that its headers reported', async () => {
  const controller = new AbortController();
  const { run, mock } = startMock({}, (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    if (bodyOf(init).includes('"stream":true')) controller.abort();
    return response;
  });
  const diagnosis = await run({ maxSpendUsd: 0.1, signal: controller.signal });
  expect(mock.invoice).toHaveLength(3);
  expect(findingOf(diagnosis, 'stream').detail).toContain('aborted');
  const said = findingOf(diagnosis, 'stream').advice ?? String(diagnosis.spentUsd);
  expect(said).toMatch(/may have been charged|0\.0000795/);
});

test('a lost response counts as charged at its listed price', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', attempt: 2 });
  // Enough for three chats at what they really cost, but not if one of them costs its listed price.
  const diagnosis = await run({ maxSpendUsd: 0.00016 });
  expect(findingOf(diagnosis, 'chat.error')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('may have been charged'),
  });
  expect(findingOf(diagnosis, 'stream')).toMatchObject({ status: 'skipped' });
  expect(mock.invoice).toHaveLength(2);
  const { detail, advice } = findingOf(diagnosis, 'chat.error');
  expect(detail).not.toContain('error.idempotencyKey');
  expect(advice).toBe('Check the charges in your account.');
  expect(possibleUsd(diagnosis)).toBeGreaterThanOrEqual(invoicedUsd(mock));
});

test('what the client has spent before does not count', async () => {
  const { base, mock, run } = startMock();
  const gateway = new Polygate({ ...base, budget: { maxUsd: 0.13 } });
  await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor', n: 6 });
  const diagnosis = await run({ maxSpendUsd: 0.1 }, gateway);
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  for (const id of ['chat', 'image-task', 'replay']) {
    expect(findingOf(diagnosis, id).status).toBe('ok');
  }
  expect(gateway.spend.totalUsd).toBe(invoicedUsd(mock));
});

test('what fits is checked, and the rest is skipped with its price', async () => {
  const { run } = startMock();
  const diagnosis = await run({ maxSpendUsd: 0.001 });
  expect(findingOf(diagnosis, 'chat').status).toBe('ok');
  const skipped = { status: 'skipped', detail: expect.stringContaining('costs up to $0.005') };
  expect(findingOf(diagnosis, 'image-task')).toMatchObject(skipped);
  expect(findingAbout(diagnosis, 'A3')).toMatchObject(skipped);
});

test.each(['chat', 'image'])(
  'a charge above the listed price of a model of type %s is reported and ends the spending',
  async (type) => {
    const { run, mock } = startMock({}, underpriced(type));
    const diagnosis = await run({ maxSpendUsd: 0.1 });
    const id = type === 'chat' ? 'chat.price' : 'image-task.price';
    expect(findingOf(diagnosis, id)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('its listed price is at most'),
    });
    expect(mock.invoice.filter(({ route }) => route.includes(type))).toHaveLength(1);
    expect(findingAbout(diagnosis, 'A13').detail).toContain(
      type === 'chat' ? 'No image' : 'charges more than its listed price',
    );
    expect(invoicedUsd(mock)).toBeLessThan(0.1);
  },
);

test('charged replays are reported, with the option that prevents them', async () => {
  const { run, mock } = startMock({}, withoutKeys);
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'replay')).toMatchObject({
    status: 'failed',
    option: { maxRetries: 0 },
  });
  expect(optionsOf(diagnosis)).toEqual({ maxRetries: 0 });
  expect(mock.invoice.filter(({ route }) => route.includes('images'))).toHaveLength(2);
});

test('charges that are not reported are', async () => {
  const { run } = startMock({}, withoutCharges);
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'chat.charge')).toMatchObject({ status: 'failed' });
  expect(optionsOf(diagnosis)).toEqual({});
});

test.each([chatRoute, imageRoute])(
  'a malformed response to %s reports a charge that is missing or too high',
  async (route) => {
    const [type, id] = route === chatRoute ? ['chat', 'chat'] : ['image', 'image-task'];
    const problems = [
      [withoutCharges, 'charge', 'reports no charge'],
      [underpriced(type), 'price', 'its listed price is at most'],
    ] as const;
    for (const [wrap, aspect, problem] of problems) {
      const { run, mock } = startMock({}, wrap);
      mock.fail({ route, malformed: true, times: 1 });
      // A missing charge is reported once, so no chat may report it first.
      if (route === imageRoute) mock.fail({ route: chatRoute, status: 400 });
      const diagnosis = await run({ maxSpendUsd: 0.1 });
      expect(findingOf(diagnosis, `${id}.${aspect}`).detail).toContain(problem);
    }
  },
);

test('an image whose response was lost is reported with what it may have cost', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: imageRoute, status: 500, handled: true, times: 1 });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(diagnosis.unconfirmedUsd).toBe(0.005);
  const { detail, advice } = findingOf(diagnosis, 'image-task');
  expect(detail).not.toContain('error.idempotencyKey');
  expect(advice).toBe('Check the charges in your account.');
  expect(await startMock().run({ maxSpendUsd: 0.1 })).not.toHaveProperty('unconfirmedUsd');
});

test('nothing is sent that the wallet does not cover', async () => {
  const { run, mock } = startMock({ wallet: { usd: 0.001 } });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'image-task')).toMatchObject({
    status: 'skipped',
    detail: expect.stringContaining('but the wallet has only $0.00'),
  });
  expect(mock.requests.some(({ status }) => status === 402)).toBe(false);
});

test('what was spent before counts against the wallet', async () => {
  const { run, mock } = startMock({ wallet: { usd: 0.00505 } });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'chat').status).toBe('ok');
  expect(findingOf(diagnosis, 'image-task').detail).toContain('but the wallet has only $0.0049');
  expect(mock.requests.some(({ status }) => status === 402)).toBe(false);
});
