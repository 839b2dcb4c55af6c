import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { drain } from '../../client/support.ts';
import { chat, image, music, observed, video } from './observed.ts';
import type { Observed } from './observed.ts';

const charge = 'polygate.client.charge';
const imageSpan = 'generate_image prism-image';
const keyed = { idempotencyKey: 'key-1' };

/** Replayed and charged, for each submission. */
const reported = ({ spans }: Observed) =>
  spans()
    .filter(({ name }) => name === imageSpan)
    .map(({ attributes }) => [attributes['polygate.replayed'], attributes['polygate.charge_usd']]);

describe('a replay', () => {
  test('of a counted charge has a charge of 0 and adds nothing', async () => {
    const memory = observed();
    const { gateway, mock, settle, points, spans } = memory;
    const first = await settle(gateway.images.submit(image, keyed));
    await settle(gateway.images.submit(image, keyed));
    expect(reported(memory)).toEqual([
      [false, 0.02],
      [true, 0],
    ]);
    expect(spans().map(({ attributes }) => attributes['polygate.task_id'])).toEqual([
      first.id,
      first.id,
    ]);
    mock.assertPaidOnce('key-1');
    expect((await points(charge)).map(({ value }) => value)).toEqual([0.02]);
  });

  test('after a lost response has the charge once', async () => {
    const memory = observed();
    const { gateway, mock, settle, points } = memory;
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    await settle(gateway.images.submit(image, keyed));
    expect(reported(memory)).toEqual([[true, 0.02]]);
    mock.assertPaidOnce('key-1');
    expect((await points(charge)).map(({ value }) => value)).toEqual([0.02]);
  });

  test('after a call that failed without a response has the charge once', async () => {
    const memory = observed({}, { maxRetries: 0 });
    const { gateway, mock, settle, points } = memory;
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    await settle(Promise.allSettled([gateway.images.submit(image, keyed)]));
    await settle(gateway.images.submit(image, keyed));
    await settle(gateway.images.submit(image, keyed));
    expect(reported(memory)).toEqual([
      [undefined, undefined],
      [true, 0.02],
      [true, 0],
    ]);
    expect((await points(charge)).map(({ value }) => value)).toEqual([0.02]);
  });

  test('of a chat, which the service can be said to offer, has the charge once', async () => {
    const memory = observed({ assumptions: { A11: 'replay' } }, { retryAmbiguous: { chat: true } });
    const { gateway, mock, settle, span, total } = memory;
    mock.fail({ reset: 'after', times: 1 });
    await settle(gateway.chat.completions.create(chat));
    expect(span('chat aurora-chat').attributes).toMatchObject({
      'polygate.replayed': true,
      'polygate.charge_usd': mock.invoice[0]?.usd,
    });
    expect(mock.invoice).toHaveLength(1);
    expect(await total(charge)).toBe(mock.invoice[0]?.usd);
  });

  test('of a response that arrives after its attempt timed out counts the charge once', async () => {
    const memory = observed({}, { timeout: 1000 });
    const { gateway, mock, settle, points } = memory;
    mock.fail({ route: 'POST /v1/images/tasks', delayMs: 1200, times: 1 });
    await settle(gateway.images.submit(image, keyed));
    await mock.clock.advance(5000);
    expect((await points(charge)).map(({ value }) => value)).toEqual([0.02]);
    expect(gateway.spend.totalUsd).toBe(0.02);
  });
});

test('a late response to a call that has failed is charged, after the end of its span', async () => {
  const memory = observed({}, { timeout: 1000, maxRetries: 0 });
  const { gateway, mock, total } = memory;
  let arrived: Response | undefined;
  const ignoresItsSignal = gateway.withOptions({
    fetch: async (input, init) => {
      const response = await mock.fetch(input, { ...init, signal: null });
      await mock.clock.sleep(2000);
      return (arrived = response);
    },
  });
  await memory.settle(Promise.allSettled([ignoresItsSignal.images.submit(image)]));
  expect(memory.spans()).toHaveLength(1);
  await mock.clock.advance(3000);
  expect(arrived?.status).toBe(202);
  expect(mock.invoice).toHaveLength(1);
  expect(await total(charge)).toBe(0.02);
  expect(memory.span(imageSpan).attributes).not.toHaveProperty('polygate.charge_usd');
});

test('the counter is by model and route', async () => {
  const { gateway, settle, points } = observed();
  await settle(gateway.images.submit(image));
  await settle(gateway.images.submit(image, { route: 'generations' }));
  await settle(gateway.images.generate({ ...image, model: 'prism-sketch' }));
  await settle(gateway.videos.submit(video));
  await settle(gateway.voices.clone({ audio_url: 'https://files.example/a.mp3', text: 'Ahoy' }));
  const found = (await points(charge)).map(({ attributes, value }) => [
    attributes['gen_ai.request.model'],
    attributes['polygate.route'],
    value,
  ]);
  expect(found).toEqual([
    ['prism-image', 'POST /v1/images/tasks', 0.02],
    ['prism-image', 'POST /v1/images/generations', 0.02],
    ['prism-sketch', 'POST /v1/images/tasks', 0.005],
    ['tide-video', 'POST /v1/videos', 0.1],
    [undefined, 'POST /v1/audio/voices/clone', gateway.spend.byModel.get('')?.usd],
  ]);
});

test('after a run with faults, the counter, the ledger and the invoice agree', async () => {
  const memory = observed({ seed: 7, concurrencyLimit: 3 });
  const { gateway, mock, settle, total, spans } = memory;
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', probability: 0.3 });
  mock.fail({ route: 'POST /v1/audio/tasks', status: 500, handled: true, probability: 0.3 });
  mock.fail({ status: 503, probability: 0.1 });
  const work: ((client: Polygate) => Promise<unknown>)[] = [
    ({ images }) => images.generate(image),
    ({ images }) => images.submit(image, keyed),
    ({ audio }) => audio.music.submit(music),
    ({ chat: { completions } }) => completions.create(chat),
    ({ chat: { completions } }) => drain(completions.stream(chat)),
    async (client) => {
      const body = new TextEncoder().encode(JSON.stringify(image));
      return client.fetch('/v1/images/tasks', { method: 'POST', body });
    },
  ];
  const runs = Array.from({ length: 60 }, async (_, index) => work[index % work.length]?.(gateway));
  await settle(Promise.allSettled(runs));
  // Learns the charges whose responses were lost, as far as their keys are known.
  const invoiced = mock.invoice.reduce((sum, { usd }) => sum + usd, 0);
  expect(await total(charge)).toBeCloseTo(gateway.spend.totalUsd, 9);
  expect(gateway.spend.totalUsd).toBeCloseTo(invoiced, 9);
  const ofSpans = spans().reduce(
    (sum, { attributes }) => sum + Number(attributes['polygate.charge_usd'] ?? 0),
    0,
  );
  expect(ofSpans).toBeCloseTo(invoiced, 9);
  expect(spans().some(({ events }) => events.length > 0)).toBe(true);
});
