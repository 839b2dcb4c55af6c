import { expect, test } from 'vitest';

import { toRow } from '../../../src/integrations/bullmq/row-calls.ts';
import type { StoredRow } from '../../../src/integrations/bullmq/row.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import { setUp } from './setup.ts';

const chats = 'POST /v1/chat/completions';

test.skipIf(!isRedisInstalled).each([
  ['that the service replays', true],
  ['that it does not replay', false],
])('chats %s never report a key that no request has carried', async (_, isKeyed) => {
  await using redis = await startRedis();
  await using all = await setUp(redis.url, { client: { retryAmbiguous: { chat: isKeyed } } });
  const { queue, gateway, mock } = all;
  const messages = [{ role: 'user' as const, content: 'Label this.' }];
  const own = { idempotencyKey: 'mine-1' };
  const submission = () =>
    gateway.chat.completions.submission({ model: 'aurora-chat', messages }, own);
  await queue.add('a', submission());
  expect(await queue.get('a')).toMatchObject({ status: 'waiting', idempotencyKey: undefined });
  const lose = mock.fail({ route: chats, reset: 'after' });
  queue.work();
  const lost = await queue.result('a');
  expect(lost).toMatchObject({ status: 'unknown', idempotencyKey: undefined });
  const sent = mock.requests.map(({ headers }) => headers['x-idempotency-key']);
  expect(sent).toEqual([isKeyed ? expect.any(String) : undefined]);
  expect(lost.error?.idempotencyKey).toBe(sent[0]);

  lose.remove();
  await queue.add('b', submission());
  expect(await queue.result('b')).toMatchObject({
    status: 'succeeded',
    idempotencyKey: undefined,
  });
});

test('the row of a chat that an earlier version has stored with a key is read without it', () => {
  const error = { name: 'ConnectionError', message: 'lost', idempotencyKey: 'mine-1' };
  const stored: StoredRow = {
    jobId: 'row-a',
    data: {
      id: 'a',
      kind: 'chat',
      path: '/v1/chat/completions',
      params: { model: 'aurora-chat' },
      hash: 'h',
      key: 'mine-1',
    },
    status: 'unknown',
    state: { error },
    key: 'mine-1',
    turn: '1',
    addedAt: '1',
  };
  const row = toRow(stored, 'unknown');
  expect(row).toMatchObject({ id: 'a', status: 'unknown', error: { message: 'lost' } });
  expect(JSON.stringify(row)).not.toContain('mine-1');
  const carried = { ...stored, state: { error: { ...error, idempotencyKey: 'sent' } } };
  expect(toRow(carried, 'unknown').error?.idempotencyKey).toBe('sent');
});
