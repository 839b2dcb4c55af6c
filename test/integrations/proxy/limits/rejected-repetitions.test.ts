/** What a repeated request that is rejected says about the first one, whose response was lost. */
import { PaymentRequiredError } from 'polygate';
import { memoryStore } from 'polygate/proxy';
import type { Store } from 'polygate/proxy';
import { redisStore } from 'polygate/proxy/redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { rejection } from '../../../support/rejection.ts';
import { isRedisInstalled, startRedis } from '../../bullmq/redis-server.ts';
import type { RedisServer } from '../../bullmq/redis-server.ts';
import { startProxy } from '../support.ts';
import { image, imageUsd, usageOf } from './support.ts';

const submits = 'POST /v1/images/tasks';

describe('memoryStore', () => {
  testRepetitions(memoryStore);
});

describe.skipIf(!isRedisInstalled)('redisStore', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  testRepetitions(() => redisStore(redis.client, { prefix: crypto.randomUUID() }));
});

function testRepetitions(makeStore: () => Store): void {
  /** Loses the response to a charged request, and lets the service reject the same request. */
  async function reject(status: number) {
    const setup = await startProxy({ limits: { usd: imageUsd }, store: makeStore() });
    const { images } = setup.page({ maxRetries: 0 });
    const submit = (idempotencyKey: string) => images.submit(image, { idempotencyKey });
    setup.mock.fail({ route: submits, reset: 'after', times: 1 });
    await rejection(Error, submit('k'));
    const code = status === 429 ? 'rate_limit_exceeded' : 'rejected';
    setup.mock.fail({ route: submits, status, code, times: 1 });
    expect(await rejection(Error, submit('k'))).toMatchObject({ status });
    return { ...setup, submit };
  }

  test.each([401, 402, 403, 429, 503])(
    'a %d is about the sender or the moment, so the price stays reserved',
    async (status) => {
      const setup = await reject(status);
      expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd: imageUsd });
      await rejection(PaymentRequiredError, setup.submit('other'));
      await setup.submit('k');
      expect(await usageOf(setup)).toMatchObject({ usd: imageUsd, reservedUsd: 0 });
      expect(setup.mock.invoice).toHaveLength(1);
    },
  );

  test.each([400, 404, 422])(
    'a %d is about the request, so the first one was not charged',
    async (status) => {
      expect(await usageOf(await reject(status))).toMatchObject({ usd: 0, reservedUsd: 0 });
    },
  );
}
