import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Redis } from 'ioredis';

/** Starts a Redis of its own, without persistence unless `settings` say otherwise. */
export async function startRedis(settings: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-bench-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  probe.close();
  await once(probe, 'close');
  const options = ['--bind', '127.0.0.1', '--save', '', '--dir', folder, ...settings];
  const start = () =>
    spawn('redis-server', ['--port', String(port), ...options], { stdio: 'ignore' });
  let server = start();
  const redis = new Redis(port, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  await redis.ping();
  return {
    port,
    redis,
    /** Kills Redis, starts it again, and returns the time in ms until it has read its file. */
    async restart(): Promise<number> {
      server.kill('SIGKILL');
      await once(server, 'exit');
      const from = performance.now();
      server = start();
      while ((await redis.ping().catch(() => '')) !== 'PONG') await sleep(50);
      return performance.now() - from;
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
