import { setTimeout as sleep } from 'node:timers/promises';

import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { redisStore } from 'polygate/proxy/redis';
import { describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import { kill, startProcess } from './settings.ts';
import type { ProxyProcess, ProxySettings } from './settings.ts';

const users = ['ann', 'bob', 'cleo'];
const usd = 1;
const windowMs = 2_592_000_000;
const limits = { usd, window: '30d', chatUsd: 0.01 } as const;
const routes = ['POST /v1/images/tasks', 'POST /v1/chat/completions'];

describe.skipIf(!isRedisInstalled)('proxies in several processes with one Redis', () => {
  test('let no user exceed the limit, although responses are lost, pages leave, and processes and Redis die', async () => {
    await using redis = await startRedis();
    const mock = createMockGateway({ tasks: { durationMs: 0 }, concurrencyLimit: 1_000, seed: 7 });
    const server = await listen(mock);
    const settings: ProxySettings = {
      apiKey: mock.apiKey,
      baseURL: server.baseURL,
      redis: redis.url,
      limits,
    };
    for (const route of routes) {
      mock.fail({ route, probability: 0.15, reset: 'after' });
      mock.fail({ route, probability: 0.15, reset: 'before' });
    }
    const proxies: ProxyProcess[] = await Promise.all(
      [1, 2, 3, 4].map(() => startProcess(settings)),
    );
    let sent = 0;

    async function send(user: string, number: number): Promise<void> {
      const { origin } = proxies[number % proxies.length]!;
      const client = new Polygate({
        apiKey: null,
        baseURL: `${origin}/api/gateway`,
        headers: { 'x-user': user },
        logLevel: 'off',
        maxRetries: number % 3,
        concurrency: false,
        timeout: 20_000,
      });
      const signal = number % 10 === 0 ? AbortSignal.timeout(5 + (number % 50)) : undefined;
      const options = { signal, idempotencyKey: `${user}-${Math.floor(number / 2)}` };
      const image = { model: 'prism-image', prompt: `${user} ${Math.floor(number / 2)}` };
      const messages = [{ role: 'user' as const, content: user }];
      const call =
        number % 5 === 1
          ? client.chat.completions.create({ model: 'aurora-chat', messages }, { signal })
          : client.images.submit({ ...image, num_images: 1 + (number % 8 < 2 ? 3 : 0) }, options);
      await call.catch(() => {});
      sent += 1;
    }

    async function disturb(): Promise<void> {
      for (let round = 0; round < 3; round += 1) {
        await sleep(700);
        const index = round % proxies.length;
        await kill(proxies[index]!);
        proxies[index] = await startProcess(settings);
        await redis.kill();
        await sleep(200);
        redis.restart();
      }
    }

    const disturbed = disturb();
    await Promise.all(
      users.map(async (user) => {
        for (let number = 0; number < 500; number += 50) {
          await Promise.all(Array.from({ length: 50 }, (_, index) => send(user, number + index)));
        }
      }),
    );
    await disturbed;
    expect(sent).toBe(1_500);

    const store = redisStore(redis.client);
    // Requests of processes that died are in flight until their leases end; charges may be recorded late.
    await expect
      .poll(
        async () => {
          const usages = await Promise.all(users.map((user) => store.usage(user, windowMs)));
          return usages.map(({ inFlight }) => inFlight);
        },
        { timeout: 120_000, interval: 500 },
      )
      .toEqual([0, 0, 0]);
    await Promise.all(proxies.map(kill));

    // The service sees one user, so the body shows whose request it was.
    const bodies = new Map(mock.requests.map(({ requestId, bodyText }) => [requestId, bodyText]));
    for (const user of users) {
      const lines = mock.invoice.filter(({ requestId }) => bodies.get(requestId)?.includes(user));
      const charged = lines.reduce((sum, line) => sum + line.usd, 0);
      expect(charged).toBeGreaterThan(usd / 4);
      expect(charged).toBeLessThanOrEqual(usd + 1e-9);
      // What is counted and reserved covers what was charged.
      const usage = await store.usage(user, windowMs);
      expect(usage.usd + usage.reservedUsd).toBeGreaterThanOrEqual(charged - 1e-9);
      expect(usage.usd + usage.reservedUsd).toBeLessThanOrEqual(usd + 1e-9);
    }
    await server.close();
  });
});
