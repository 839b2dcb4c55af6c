/** Books in Redis. */
import { Polygate } from 'polygate';
import { GenerationQueue } from 'polygate/bullmq';
import { redisStore } from 'polygate/proxy/redis';

import type { RedisServer } from '../integrations/bullmq/redis-server.ts';
import { eventually } from '../support/eventually.ts';
import { bodyOf, learning, open, proxyWith } from './books.ts';
import type { BookKind } from './books.ts';
import { orderText } from './orders.ts';
import type { Order } from './orders.ts';

let lastPrefix = 0;

/** The `limits` of a proxy with a store in Redis, which a failover can empty. */
export const proxyOn = (redisOf: () => RedisServer, loses = false): BookKind =>
  proxyWith(
    'proxy on Redis',
    () => redisStore(redisOf().client),
    loses ? async () => void (await redisOf().client.flushall()) : undefined,
  );

/** `maxUsd` of a queue. Each step adds rows, or retries those that have failed, and waits until they have ended. */
export const queueOn = (redisOf: () => RedisServer): BookKind => ({
  name: 'queue',
  canHold: false,
  waits: true,
  checksLate: false,
  expects: learning,
  async open(settings, maxUsd) {
    const { service, options } = open(this, settings, maxUsd);
    const gateway = new Polygate({ ...options, clock: undefined });
    const redis = redisOf();
    lastPrefix += 1;
    const prefix = `books${lastPrefix}`;
    const create = () => {
      const queue = new GenerationQueue('rows', {
        gateway,
        connection: { url: redis.url },
        prefix,
        maxUsd,
      });
      queue.work();
      return queue;
    };
    let queue = create();
    let unkeyed = 0;
    const add = async (order: Order) => {
      unkeyed += 1;
      const id = order.key === undefined ? `no ${unkeyed}` : orderText(order);
      const row = await queue.get(id);
      if (row?.status === 'failed' || row?.status === 'unknown') return queue.retry(id);
      if (row !== undefined) return undefined;
      const submission = gateway.images.submission(bodyOf(order), { idempotencyKey: order.key });
      await queue.add(id, submission);
      return id;
    };
    const run = async (orders: readonly Order[]) => {
      const ids: string[] = [];
      for (const order of orders) ids.push((await add(order)) ?? '');
      await eventually(async () => {
        const { submitting, running, waiting } = await queue.count();
        const isPaused = queue.paused !== undefined;
        if (submitting + running > 0 || (waiting > 0 && !isPaused)) throw new Error('busy');
      });
      for (const id of ids) {
        if (id && (await queue.get(id))?.status === 'waiting') await queue.remove(id);
      }
      if (queue.paused !== undefined) await queue.resume();
    };
    return {
      service,
      send: (orders) => [run(orders)],
      async usage() {
        const fields = await redis.client.hgetall(`${prefix}:rows:polygate:spend`);
        const { spent = 0, reserved = 0 } = fields;
        return { spentUsd: Number(spent) / 1e9, reservedUsd: Number(reserved) / 1e9 };
      },
      restart() {
        void queue.close();
        queue = create();
      },
      close: () => void queue.close(),
    };
  },
});
