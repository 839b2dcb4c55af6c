/** A listed price is a belief, and a charge is a fact. */
import { PaymentRequiredError } from 'polygate';
import { expect, test } from 'vitest';

import { rejection } from '../../../support/rejection.ts';
import { startProxy } from '../support.ts';
import { chargedUsd, image, imageUsd, usageOf } from './support.ts';

/** A proxy whose gateway lists another price for images than it charges. */
const startWithPrice = (unitPriceUsd: number, usd: number) =>
  startProxy({
    limits: { usd },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'POST') return response;
      const list = (await response.json()) as { data: object[] };
      const data = list.data.map((model) => ({ ...model, pricing: { unitPriceUsd } }));
      return Response.json({ ...list, data });
    },
  });

test.each([0, imageUsd / 2])(
  'after a charge above the listed price of %d, requests reserve what they cost',
  async (listed) => {
    const setup = await startWithPrice(listed, 3 * imageUsd);
    const { images } = setup.page({ maxRetries: 0 });
    await images.submit(image);
    await rejection(PaymentRequiredError, images.submit({ ...image, n: 3 }));
    await images.submit({ ...image, n: 2 });
    expect(chargedUsd(setup.mock)).toBe(3 * imageUsd);
  },
);

test('a request with a price of 0 is refused once the limit is used up', async () => {
  const setup = await startWithPrice(0, imageUsd);
  const { images } = setup.page({ maxRetries: 0 });
  await images.submit(image);
  await rejection(PaymentRequiredError, images.submit({ ...image, resolution: '4K' }));
  expect(await usageOf(setup)).toMatchObject({ usd: imageUsd, reservedUsd: 0, requests: 1 });
});

test('what a request with two sizes costs is not reserved for those with one of them', async () => {
  const setup = await startProxy({
    limits: { usd: 1 },
    fetch: async (input, init) => {
      if (init?.method !== 'POST') return fetch(input, init);
      const headers = { 'x-svc-charge-usd': '0.9' };
      return Response.json({ id: 'task_1', status: 'queued' }, { status: 202, headers });
    },
  });
  const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '720p' };
  const submit = (params: object, user: string) =>
    setup.page({ maxRetries: 0 }, user).videos.submit({ ...video, ...params });
  await submit({ size: '1080p' }, 'mallory');
  await submit({ duration: 6 }, 'bob');
  const refused = await rejection(PaymentRequiredError, submit({ duration: 7 }, 'carol'));
  expect(refused.code).toBe('user_limit_exceeded');
});
