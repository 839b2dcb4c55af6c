import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';

import { holdResponses } from '../../integrations/bullmq/held-fetch.ts';
import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import { setUp, until } from '../../integrations/bullmq/setup.ts';

const chats = 'POST /v1/chat/completions';
const messages = [{ role: 'user' as const, content: 'Hi' }];

describe.skipIf(!isRedisInstalled)('a chat that is rejected while Redis is unreachable', () => {
  test.each([
    [401, 'waiting', 'authentication'],
    [402, 'waiting', 'balance'],
    [503, 'waiting', undefined],
    [400, 'failed', undefined],
  ] as const)('with %i is %s, and not charged', async (status, expected, paused) => {
    const { fetch: heldFetch, release: respond } = holdResponses();
    const warnings: string[] = [];
    const ignore = () => undefined;
    const warn = (text: string) => void warnings.push(text);
    await using redis = await startRedis();
    // Its commands fail in an outage. Those of a connection that the queue opens wait for its end.
    const connection = new Redis(redis.url, { maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    connection.on('error', ignore);
    onTestFinished(() => connection.disconnect());
    await using all = await setUp(redis.url, {
      client: {
        fetch: heldFetch,
        logLevel: 'warn',
        logger: { debug: ignore, info: ignore, error: ignore, warn },
      },
      queue: { connection },
    });
    const { queue, mock, gateway } = all;
    mock.fail({ route: chats, status, times: 1 });
    queue.work();
    await queue.add('a', gateway.chat.completions.submission({ model: 'aurora-chat', messages }));
    await until(all.posts).toBe(1);
    await redis.kill();
    respond();
    await until(() => warnings.length).toBeGreaterThan(0);
    redis.restart();
    const read = () => queue.get('a').catch(() => undefined);
    await until(async () => !['submitting', undefined].includes((await read())?.status)).toBe(true);
    expect(await read()).toMatchObject({
      status: expected,
      error: { status, outcome: 'rejected' },
    });
    await until(() => queue.paused).toBe(paused);
    expect(mock.invoice).toHaveLength(0);
    if (paused) await queue.resume();
    if (expected === 'failed') await queue.retry('a');
    await until(async () => (await read())?.status).toBe('succeeded');
    expect(mock.invoice).toHaveLength(1);
    expect(all.posts()).toBe(2);
  });
});
