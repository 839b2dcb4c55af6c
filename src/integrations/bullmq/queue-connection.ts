import { Queue } from 'bullmq';
import type { ConnectionOptions } from 'bullmq';
import type { Redis } from 'ioredis';

import { ConfigurationError } from '../../errors/base.ts';
import type { PauseReason } from './decisions/step.ts';
import { Announcements } from './redis/announcements.ts';
import { connect, disconnect, withinTime } from './redis/connection.ts';
import { redisKeys } from './redis/keys.ts';
import { QueueState } from './redis/queue-state.ts';
import { RowStore } from './redis/row-store.ts';
import type { RowData } from './row.ts';

/** Where a queue is. */
interface QueueAddress {
  readonly name: string;
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  /** Identifies the account, whose queues share its slots. */
  readonly baseURL: string;
}

/** What one process has open for a queue: its connections, and what other processes announce. */
export class QueueConnection {
  /** The jobs of the queue. */
  readonly jobs: Queue<RowData>;
  readonly rows: RowStore;
  readonly state: QueueState;
  readonly announcements: Announcements;
  readonly #redis: Redis;
  readonly #isOwnRedis: boolean;
  #paused: PauseReason | undefined;
  #isClosed = false;

  /**
   * Connects in the background.
   *
   * @throws `ConfigurationError` if the connection has the wrong type.
   */
  constructor({ name, connection, prefix, baseURL }: QueueAddress) {
    const { redis, isOwn } = connect(connection);
    this.#redis = redis;
    this.#isOwnRedis = isOwn;
    this.jobs = new Queue<RowData>(name, { connection: redis, prefix });
    // Each call reports its own error.
    this.jobs.on('error', () => undefined);
    const keys = redisKeys(this.jobs, { prefix, baseURL });
    this.rows = new RowStore(redis, keys);
    this.state = new QueueState(redis, keys);
    this.announcements = new Announcements(redis, keys.channels);
    this.announcements.listen(({ concernsPause }) => {
      // If it fails, Redis is unreachable: the connection then announces a pause when it is restored.
      if (concernsPause && !this.#isClosed) this.#updatePaused().catch(() => undefined);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why the queue is paused, as this process knows it. */
  get paused(): PauseReason | undefined {
    return this.#paused;
  }

  async pause(): Promise<void> {
    await this.call(() => this.state.pause('caller'));
    await this.#updatePaused();
  }

  async resume(): Promise<void> {
    await this.call(() => this.state.resume());
    await this.#updatePaused();
  }

  /**
   * Makes a request to Redis.
   *
   * @throws `ConfigurationError` if the queue is closed; `ConnectionError` if Redis does not respond in time.
   */
  async call<Result>(work: () => Promise<Result>): Promise<Result> {
    this.checkOpen();
    return withinTime(work());
  }

  /** Deletes all jobs, and everything else that the queue stores. If it rejects, a part may remain. */
  async obliterate(): Promise<void> {
    await this.call(() => this.jobs.pause());
    await this.call(() => this.jobs.obliterate({ force: true }));
    await this.call(() => this.state.clear());
  }

  /** @throws `ConfigurationError` */
  checkOpen(): void {
    if (this.#isClosed) throw new ConfigurationError('queue: is closed.');
  }

  /** Closes the connections, except one that was passed. Never rejects, even if Redis is unreachable. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.announcements.close();
    await withinTime(this.jobs.close()).catch(() => undefined);
    if (this.#isOwnRedis) disconnect(this.#redis);
  }

  /** Reads why the queue is paused. */
  async #updatePaused(): Promise<void> {
    this.#paused = await this.call(() => this.state.pauseReason());
  }
}
