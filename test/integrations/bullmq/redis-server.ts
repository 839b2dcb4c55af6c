import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

/** Whether redis-server is on PATH. Without it, the tests that need it are skipped. */
export const isRedisInstalled = spawnSync('redis-server', ['--version']).status === 0;

if (!isRedisInstalled && process.env.POLYGATE_TEST_REDIS === 'required') {
  throw new Error('redis-server is not on PATH, but POLYGATE_TEST_REDIS=required is set.');
}

if (!isRedisInstalled) {
  console.warn('redis-server is not on PATH: the tests of polygate/bullmq are skipped.');
}

/**
 * A Redis of its own for some tests, with AOF, on a free port and in a temporary folder. `settings` are more options of
 * redis-server.
 */
export async function startRedis(...settings: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-redis-'));
  const port = await freePort();
  const options = [
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'yes',
    '--dir',
    folder,
    ...settings,
  ];
  // For `DEBUG DIGEST-VALUE`.
  options.push('--enable-debug-command', 'yes');
  const start = () =>
    spawn('redis-server', ['--port', String(port), ...options], { stdio: 'ignore' });
  let server = start();
  const stop = async (signal: NodeJS.Signals) => {
    server.kill('SIGCONT');
    server.kill(signal);
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on('error', () => undefined);
  await client.ping();
  return {
    url,
    /** A client that stays open. */
    client,
    freeze: () => server.kill('SIGSTOP'),
    unfreeze: () => server.kill('SIGCONT'),
    kill: () => stop('SIGKILL'),
    restart: () => {
      server = start();
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await stop('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/**
 * A port that no one listens on, below those that systems choose for sockets without a port of their own. Otherwise,
 * such a socket could take it before Redis starts, or while it is restarted.
 */
async function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 22_000);
  const probe = createServer().listen(port, '127.0.0.1');
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  probe.close();
  await once(probe, 'close');
  return port;
}
