import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

/** Starts a Redis of its own, without persistence. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-bench-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  probe.close();
  await once(probe, 'close');
  const options = ['--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', ['--port', String(port), ...options], { stdio: 'ignore' });
  const redis = new Redis(port, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  await redis.ping();
  return {
    port,
    redis,
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
