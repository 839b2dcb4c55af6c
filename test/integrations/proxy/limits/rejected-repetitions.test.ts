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
  async function reject(status: number, code = 'rejected') {
    const setup = await startProxy({ limits: { usd: imageUsd }, store: makeStore() });
    const { images } = setup.page({ maxRetries: 0 });
    const submit = (idempotencyKey: string) => images.submit(image, { idempotencyKey });
    setup.mock.fail({ route: submits, reset: 'after', times: 1 });
    await rejection(Error, submit('k'));
    setup.mock.fail({ route: submits, status, code, times: 1 });
    expect(await rejection(Error, submit('k'))).toMatchObject({ status });
    return { ...setup, submit };
  }

  test.each([
    [400, 'invalid_request_parameter'],
    [400, 'material_not_available'],
    [404, 'model_not_found'],
    [404, ''],
    [422, 'rejected'],
    [401, 'invalid_api_key'],
    [402, 'insufficient_balance'],
    [403, 'rejected'],
    [429, 'rate_limit_exceeded'],
    [503, 'service_unavailable'],
  ])(
    'a %d with the code %j proves nothing about the first one, whose price stays reserved',
    async (status, code) => {
      const setup = await reject(status, code);
      expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd: imageUsd });
      await rejection(PaymentRequiredError, setup.submit('other'));
      await setup.submit('k');
      expect(await usageOf(setup)).toMatchObject({ usd: imageUsd, reservedUsd: 0 });
      expect(setup.mock.invoice).toHaveLength(1);
    },
  );

  test('a page of HTML from a load balancer proves nothing, either', async () => {
    const setup = await startProxy({ limits: { usd: imageUsd }, store: makeStore() });
    const { images } = setup.page({ maxRetries: 0 });
    const submit = (idempotencyKey: string) => images.submit(image, { idempotencyKey });
    setup.mock.fail({ route: submits, reset: 'after', times: 1 });
    await rejection(Error, submit('k'));
    setup.mock.fail({ route: submits, status: 404, body: '<h1>404</h1>', times: 1 });
    await rejection(Error, submit('k'));
    await rejection(PaymentRequiredError, submit('other'));
    expect(setup.mock.invoice).toHaveLength(1);
  });

  test('a key that the service rejects as invalid was never charged', async () => {
    const setup = await reject(400, 'invalid_idempotency_key');
    expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd: 0 });
  });
}
