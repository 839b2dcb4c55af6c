import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';

const fromSource = new URL('../../from-source.ts', import.meta.url).href;
const worker = fileURLToPath(new URL('worker-process.ts', import.meta.url));
const chatWorker = fileURLToPath(new URL('chat-worker-process.ts', import.meta.url));

describe.skipIf(!isRedisInstalled).concurrent('the process of a worker exits after close', () => {
  test.each([
    ['when Redis is lost', worker, 'kill'],
    ['when Redis is frozen', worker, 'freeze'],
    ['when Redis is there', worker, undefined],
    ['when Redis is lost, and a chat cannot be recorded', chatWorker, 'kill'],
  ] as const)('%s', async (_, program, loss) => {
    await using redis = await startRedis();
    const child = spawn(process.execPath, ['--import', fromSource, program], {
      env: { ...process.env, REDIS_URL: redis.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    if (loss) await redis[loss]();
    const exit = once(child, 'exit', { signal: AbortSignal.timeout(50_000) });
    exit.catch(() => child.kill('SIGKILL'));
    child.kill('SIGTERM');
    expect(await Promise.all([exit, text(child.stdout)])).toEqual([[0, null], 'closed\n']);
  });
});
