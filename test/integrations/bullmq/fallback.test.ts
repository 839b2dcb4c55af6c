import { ConfigurationError, ConflictError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';

const params = { model: 'prism-image', prompt: 'A harbor' };

describe.skipIf(!isRedisInstalled).concurrent('a queue with a fallback', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('sends the next model of a row, and names it in the receipt', async () => {
    await using all = await setUp(redis.url);
    const { queue, gateway, mock } = all;
    mock.fail({ model: 'prism-image', status: 503 });
    await queue.add('a', gateway.images.submission(params, { fallback: ['prism-sketch'] }));
    queue.work();
    const row = await queue.result('a');
    expect(row).toMatchObject({ status: 'succeeded', receipt: { model: 'prism-sketch' } });
    expect(mock.invoice.map(({ model }) => model)).toEqual(['prism-sketch']);
  });

  test('reserves the price of the most expensive model', async () => {
    await using all = await setUp(redis.url, { queue: { maxUsd: 0.015 } });
    const { queue, gateway, mock } = all;
    const cheap = { ...params, model: 'prism-sketch' };
    await queue.add('cheap', gateway.images.submission(cheap));
    queue.work();
    expect(await queue.result('cheap')).toMatchObject({ status: 'succeeded' });
    await queue.add('a', gateway.images.submission(cheap, { fallback: ['prism-image'] }));
    await until(() => queue.paused).toBe('budget');
    expect(mock.invoice).toHaveLength(1);
  });

  test('regards another list as another request', async () => {
    await using all = await setUp(redis.url);
    const { queue, gateway } = all;
    await queue.add('a', gateway.images.submission(params, { fallback: ['prism-sketch'] }));
    await queue.add('a', gateway.images.submission(params, { fallback: ['prism-sketch'] }));
    await rejection(ConflictError, queue.add('a', gateway.images.submission(params)));
    const fallbackOn = () => true;
    const submission = gateway.images.submission(params, { fallback: ['x'], fallbackOn });
    const error = await rejection(ConfigurationError, queue.add('b', submission));
    expect(error.message).toContain('fallbackOn: must be omitted');
  });
});
