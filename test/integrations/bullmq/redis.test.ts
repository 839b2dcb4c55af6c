import { once } from 'node:events';

import { ConnectionError } from 'polygate';
import { expect, test } from 'vitest';

import {
  disconnect,
  reconnecting,
  withinTime,
} from '../../../src/integrations/bullmq/redis/connection.ts';
import { rejection } from '../../support/rejection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';

test('an unreachable Redis is reported with what happened and what to do', async () => {
  const call = withinTime(Promise.reject(new Error('Connection is closed.')));
  expect(await rejection(ConnectionError, call)).toMatchObject({
    message:
      'Redis: Connection is closed. Nothing was sent to the service. If this call changes the queue, Redis may still ' +
      'make the change later. Check the connection to Redis and repeat the call: no task is paid for twice.',
    outcome: 'unknown',
  });
});

test.skipIf(!isRedisInstalled)(
  'a connection that is closed while it waits to reconnect rejects its commands',
  async () => {
    await using redis = await startRedis();
    const connection = reconnecting(redis.client);
    connection.options.retryStrategy = () => 3_600_000;
    await connection.ping();
    await redis.kill();
    if (connection.status !== 'reconnecting') await once(connection, 'reconnecting');
    const command = connection.ping();
    disconnect(connection);
    await expect(command).rejects.toThrow('Connection is closed.');
    expect(connection.status).toBe('end');
  },
);
