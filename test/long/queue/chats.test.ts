import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, test } from 'vitest';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import type { ProcessSettings } from './settings.ts';

const hook = new URL('../../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('process.ts', import.meta.url));
const ids = Array.from({ length: 40 }, (_, index) => `row ${index}`);

test.skipIf(!isRedisInstalled)(
  'chats whose workers are killed in the middle of a POST are sent at most once, and end as unknown',
  async () => {
    const redis = await startRedis();
    const mock = createMockGateway({ concurrencyLimit: 4, latencyMs: 20 });
    const prompts: string[] = [];
    const server = await listen({
      ...mock,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (request.method === 'POST') prompts.push(await request.clone().text());
        return mock.fetch(request);
      },
    });
    const { apiKey } = mock;
    const gateway = new Polygate({ apiKey, baseURL: server.baseURL, logLevel: 'off' });
    const name = 'labels';
    const queue = new GenerationQueue(name, { gateway, connection: { url: redis.url } });
    await queue.addBulk(ids, (id) => ({
      id,
      submission: gateway.chat.completions.submission({
        model: 'aurora-chat',
        messages: [{ role: 'user', content: id }],
      }),
    }));
    for (const post of [1, 2, 5]) {
      const settings: ProcessSettings = {
        role: 'work',
        name,
        worker: `victim ${post}`,
        apiKey,
        baseURL: server.baseURL,
        redis: redis.url,
        concurrency: 8,
        kill: { at: 'after', post },
      };
      const args = ['--import', hook, program, JSON.stringify(settings)];
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe('SIGKILL');
    }
    queue.work();
    const rows = await Promise.all(ids.map((id) => queue.result(id)));
    const unknown = rows.filter(({ status }) => status === 'unknown');
    expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(40 - unknown.length);
    expect(unknown.length).toBeGreaterThanOrEqual(3);
    expect(new Set(prompts).size).toBe(prompts.length);
    const sent = prompts.length;
    for (const { id } of unknown.slice(0, 1)) await queue.retry(id);
    await expect
      .poll(async () => (await queue.get(unknown[0]?.id ?? ''))?.status)
      .toBe('succeeded');
    expect(prompts).toHaveLength(sent + 1);
    await queue.close();
    await server.close();
    await redis[Symbol.asyncDispose]();
  },
);
