import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

/** What to do if there is no Redis. */
const advice = `This example needs Redis. Install redis-server, or set REDIS_URL to that of a running one:
  Debian, Ubuntu   sudo apt-get install redis-server
  macOS            brew install redis
  Docker           docker run --rm -p 6379:6379 redis:8, and REDIS_URL=redis://127.0.0.1:6379`;

/**
 * Starts a Redis server with an empty database if REDIS_URL is not set, and sets REDIS_URL. Returns a function that stops
 * the server. Without a redis-server on this machine, prints what to do and exits.
 */
export async function startRedis(): Promise<() => Promise<void>> {
  if (process.env['REDIS_URL']) return async () => {};
  if (spawnSync('redis-server', ['--version']).error !== undefined) {
    console.error(advice);
    process.exit(1);
  }
  const folder = await mkdtemp(join(tmpdir(), 'polygate-redis-'));
  const port = await freePort();
  const settings = ['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...settings],
    // In a group of its own, so that Ctrl-C does not stop it before the workers.
    { stdio: 'ignore', detached: true },
  );
  process.on('exit', () => server.kill());
  process.env['REDIS_URL'] = `redis://127.0.0.1:${port}`;
  const redis = new Redis(process.env['REDIS_URL'], { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  await redis.ping();
  redis.disconnect();
  return async () => {
    const stopped = once(server, 'exit');
    server.kill();
    await stopped;
    await rm(folder, { recursive: true });
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 6379;
}
