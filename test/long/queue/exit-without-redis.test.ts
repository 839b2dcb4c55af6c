import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../bullmq/redis-server.ts';

const fromSource = new URL('../../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('worker-process.ts', import.meta.url));

describe.skipIf(!isRedisInstalled).concurrent('the process of a worker exits after close', () => {
  test.each(['kill', 'freeze', undefined] as const)('when Redis is lost (%s)', async (loss) => {
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
