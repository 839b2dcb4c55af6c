import { setTimeout as sleep } from 'node:timers/promises';

import { UnrecoverableError } from 'bullmq';
import { Redis } from 'ioredis';

import { ConflictError } from '../../src/index.ts';
import type { Polygate } from '../../src/index.ts';
import { GenerationQueue } from '../../src/integrations/bullmq/index.ts';
import type { RowInput } from '../../src/integrations/bullmq/index.ts';
import { QueueConnection } from '../../src/integrations/bullmq/queue-connection.ts';
import { fields } from '../../src/integrations/bullmq/redis/fields.ts';
import { dataField, redisKeys } from '../../src/integrations/bullmq/redis/keys.ts';
import { RowStore } from '../../src/integrations/bullmq/redis/row-store.ts';
import { isEnded, jobIdOf } from '../../src/integrations/bullmq/row.ts';
import { StepRunner } from '../../src/integrations/bullmq/worker/worker.ts';
import { damagedField } from './damage.ts';
import type { Damage } from './damage.ts';
import { chatOf, checkChat, clientOf, failedWith, openService, paramsOf } from './driver.ts';
import type { Driver, Ending, Run, World } from './driver.ts';

const name = 'pictures';
const id = 'row';
const jobId = jobIdOf(id);
/** More steps than a row needs. */
const maxSteps = 6;
let worlds = 0;

/**
 * Workers of a queue with one row. Each is a process with a connection of its own, which ends with it, and takes the row from step
 * to step. BullMQ decides only when a step is due, and that is now: no worker waits until the job of a dead one counts as stalled.
 */
export const queueIn = (url: () => string, fallback?: [string]): Driver =>
  driverOf('the queue', url, (gateway, params) =>
    gateway.images.submission(paramsOf(params), { fallback }),
  );

/** The same with a chat, which may be charged each time it is sent. */
export const chatQueueIn = (url: () => string): Driver => ({
  ...driverOf('the queue with a chat', url, (gateway, params) =>
    gateway.chat.completions.submission(chatOf(params)),
  ),
  check: checkChat,
});

const driverOf = (title: string, url: () => string, describe: Describe): Driver => ({
  name: title,
  needsStorage: true,
  isShared: true,
  open() {
    worlds += 1;
    return new QueueWorld(openService(), url(), `life${worlds}`, describe);
  },
});

/** What a row contains that damage can concern. Those of BullMQ are not ours. */
const ownFields = [dataField, ...Object.values(fields)];

type Describe = (gateway: Polygate, params: number) => RowInput['submission'];

class QueueWorld implements World {
  readonly mock: World['mock'];
  readonly #prefix: string;
  readonly #redis: Redis;
  readonly #connection: QueueConnection;
  readonly #describe: Describe;

  constructor(mock: World['mock'], url: string, prefix: string, describe: Describe) {
    this.mock = mock;
    this.#prefix = prefix;
    this.#describe = describe;
    this.#redis = new Redis(url);
    const { baseURL } = mock;
    this.#connection = new QueueConnection({ name, connection: this.#redis, prefix, baseURL });
  }

  async start(run: Run, held: Promise<void>): Promise<Ending> {
    const own = this.#redis.duplicate({ maxRetriesPerRequest: 0 });
    own.on('error', () => undefined);
    let isDead = false;
    const die = async (): Promise<never> => {
      isDead = true;
      own.disconnect();
      throw new TypeError('The process was killed.');
    };
    const gateway = clientOf(this.mock, run, held, die);
    const queue = new GenerationQueue(name, { gateway, connection: own, prefix: this.#prefix });
    const { jobs, state } = this.#connection;
    const keys = redisKeys(jobs, { prefix: this.#prefix, baseURL: gateway.baseURL });
    const rows = new RowStore(own, keys);
    const limits = { attempts: 3, waitTimeout: 1e9, maxUsd: undefined, concurrency: 2 };
    const runner = new StepRunner({ jobs, rows, state, gateway, ...limits });
    const step = () => this.#step(runner);
    try {
      if (run.isFull) own.disconnect();
      await state.resume();
      if (!(await this.#add(run, queue, gateway, step))) return 'refused';
      const before = this.mock.requests.length;
      for (let count = 0; count < maxSteps; count += 1) {
        await step();
        const row = await this.#connection.rows.read(id);
        if (isDead) return 'dead';
        // Another run has removed the row, and added it with its own params.
        if (row && !JSON.stringify(row.data).includes(paramsOf(run.params).prompt)) return 'failed';
        if (row?.status === 'succeeded') {
          return { taskId: row.state.receipt?.id ?? row.state.completion?.id ?? '' };
        }
        const hasSent = this.mock.requests.length > before;
        if (row?.status === 'unknown' && row.data.kind === 'chat' && !hasSent) return 'refused';
        if (row === undefined || isEnded(row.status)) return failedWith(row?.state.error?.message);
        if (hasSent && row.status !== 'running') return 'failed';
      }
      return 'failed';
    } catch (error) {
      if (isDead) return 'dead';
      return run.isFull || ConflictError.is(error) ? 'refused' : failedWith(String(error));
    } finally {
      runner.stop();
      own.disconnect();
      void queue.close();
    }
  }

  /** A program adds its row, and removes or retries one that has failed. Returns false for a chat that may have been charged. */
  async #add(
    { params }: Run,
    queue: GenerationQueue,
    gateway: Polygate,
    step: () => Promise<void>,
  ): Promise<boolean> {
    const row = await queue.get(id);
    // A dead worker may have left the job of an ended row, which another worker then ends.
    if (row !== undefined && isEnded(row.status) && row.status !== 'succeeded') {
      await step();
      if (row.status === 'failed') await queue.remove(id);
      else if (row.kind === 'chat') return false;
      else await queue.retry(id);
    }
    await queue.add(id, this.#describe(gateway, params));
    return true;
  }

  async #step(runner: StepRunner): Promise<void> {
    const { jobs } = this.#connection;
    const job = await jobs.getJob(jobId);
    if (job === undefined) return;
    try {
      await runner.run(job, undefined);
    } catch (error) {
      if (!(error instanceof UnrecoverableError)) return;
      // BullMQ keeps the jobs of failed rows in a set, from which they are retried.
      await this.#redis.zrem(jobs.toKey('prioritized'), jobId);
      await this.#redis.zadd(jobs.toKey('failed'), 1, jobId);
    }
  }

  settle = () => sleep(15);

  async stored(): Promise<string> {
    return JSON.stringify(await this.#redis.hgetall(this.#connection.jobs.toKey(jobId)));
  }

  async damage(damage: Damage): Promise<boolean> {
    const key = this.#connection.jobs.toKey(jobId);
    const names = await this.#redis.hkeys(key);
    const field = damagedField(names.filter((one) => ownFields.includes(one)).toSorted(), damage);
    if (field === undefined) return false;
    const { name: one, value } = field;
    await (value === undefined ? this.#redis.hdel(key, one) : this.#redis.hset(key, one, value));
    return true;
  }

  async close(): Promise<void> {
    await this.#connection.close();
    this.#redis.disconnect();
  }
}
