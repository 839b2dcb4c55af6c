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
