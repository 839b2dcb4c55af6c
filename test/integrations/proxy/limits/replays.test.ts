import { PaymentRequiredError } from 'polygate';
import { expect, test } from 'vitest';

import { rejection } from '../../../support/rejection.ts';
import { startProxy } from '../support.ts';
import { image, imageUsd, usageOf } from './support.ts';

test.each(['0', null])(
  'a lost response counts if its replay reports the charge %s',
  async (charge) => {
    const setup = await startProxy({ limits: { usd: imageUsd } });
    const { mock, page } = setup;
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    mock.fail({ route: 'POST /v1/images/tasks', headers: { 'x-svc-charge-usd': charge } });
    const key = { idempotencyKey: 'k' };
    await page({ maxRetries: 0 })
      .images.submit(image, key)
      .catch(() => {});
    for (let repeat = 0; repeat < 2; repeat += 1)
      await page({ maxRetries: 0 }).images.submit(image, key);
    expect(await usageOf(setup)).toEqual({
      usd: imageUsd,
      reservedUsd: 0,
      requests: 3,
      inFlight: 0,
    });
    await rejection(PaymentRequiredError, page({ maxRetries: 0 }).images.submit(image));
    expect(mock.invoice).toHaveLength(1);
  },
);
