import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Redis } from 'ioredis';

/** A Redis of its own, which writes every change to its disk before it responds. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  static async start(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'polygate-redis-'));
    const server = new RedisServer(await freePort(), folder);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const child = spawn('redis-server', [...place, ...settings], { stdio: 'ignore' });
    child.on('error', (error) => console.error(`redis-server: ${error.message}`));
    this.#process = child;
    const redis = new Redis(this.port, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    await redis.ping();
    redis.disconnect();
  }

  /** Ends it without a warning. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Stops its clock and its work. Connections stay open. */
  async freeze(ms: number): Promise<void> {
    this.#process?.kill('SIGSTOP');
    await sleep(ms);
    this.#process?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
