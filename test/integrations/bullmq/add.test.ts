import { ConfigurationError, ConflictError, ConnectionError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import type { EndedRow } from '../../../src/integrations/bullmq/index.ts';
import { rejection } from '../../support/rejection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp } from './setup.ts';
import type { SetUpOptions } from './setup.ts';

/** The next rows of an iterator. */
async function take(rows: AsyncGenerator<EndedRow>, count: number): Promise<EndedRow[]> {
  const taken: EndedRow[] = [];
  while (taken.length < count) {
    const { value, done } = await rows.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

describe.skipIf(!isRedisInstalled).concurrent('adding rows', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const start = (options?: SetUpOptions) => setUp(redis.url, options);

  describe('add', () => {
    test('adding a row again changes nothing, whatever the order of its keys', async () => {
      await using all = await start();
      const { queue, gateway } = all;
      const submission = (params: object) =>
        gateway.images.submission({ model: 'prism-image', prompt: 'x', ...params });
      await queue.add('a', submission({ size: '1024x1024', n: 1 }));
      await queue.add('a', submission({ n: 1, size: '1024x1024' }));
      expect(await queue.count()).toMatchObject({ waiting: 1 });
      queue.work();
      await queue.result('a');
      await queue.add('a', submission({ size: '1024x1024', n: 1 }));
      expect(await queue.count()).toMatchObject({ succeeded: 1 });
      expect(all.mock.invoice).toHaveLength(1);
    });

    test('the same id with other params is a conflict, and nothing is sent', async () => {
      await using all = await start();
      const { queue, picture } = all;
      await queue.add('a', picture('one'));
      const error = await rejection(ConflictError, queue.add('a', picture('two')));
      expect(error).toMatchObject({ code: 'row_conflict', outcome: 'not-sent', ids: ['a'] });
      expect(error.message).toContain('Nothing was sent for them');
      queue.work();
      await queue.result('a');
      expect(all.mock.tasks.map(({ prompt }) => prompt)).toEqual(['one']);
      await rejection(ConflictError, queue.add('a', picture('two')));
    });

    test('addBulk adds every row it can and lists all conflicts', async () => {
      await using all = await start();
      const { queue, picture } = all;
      await queue.add('old', picture('old'));
      const rows = ['a', 'old', 'b', 'a', 'b', 'c'].map((id, index) => ({ id, index }));
      const prompts: Record<string, string> = { old: 'new', a: 'a' };
      const added = queue.addBulk(rows, ({ id, index }) => ({
        id,
        submission: picture(prompts[id] ?? `${id} ${index}`),
      }));
      expect(await rejection(ConflictError, added)).toMatchObject({ ids: ['old', 'b'] });
      expect(await queue.count()).toMatchObject({ waiting: 4 });
      expect(await queue.get('c')).toMatchObject({ status: 'waiting' });
    });

    test('conflicts are found across groups, and inputs can be a stream', async () => {
      await using all = await start();
      const { queue, picture } = all;
      async function* inputs() {
        for (let index = 0; index < 1_201; index += 1) yield index;
      }
      const added = queue.addBulk(inputs(), (index) => ({
        id: `row ${index % 1_200}`,
        submission: picture(`${index}`),
      }));
      expect(await rejection(ConflictError, added)).toMatchObject({ ids: ['row 0'] });
      expect(await queue.count()).toMatchObject({ waiting: 1_200 });
    });

    test('an invalid row is a ConfigurationError, and the rows before it are added', async () => {
      await using all = await start();
      const { queue, picture } = all;
      const invalid: [() => unknown, RegExp][] = [
        [() => ({ id: '', submission: picture('x') }), /id: must be a non-empty string/],
        [() => ({ id: 7, submission: picture('x') }), /id: must be a non-empty string/],
        [() => ({ id: 'x', submission: {} }), /submission: must be an object with/],
        [() => ({ id: 'x' }), /submission: must be/],
        [() => undefined, /id: must be/],
        [() => ({ id: 'x', submission: all.gateway.images.submission({} as never) }), /model/],
        [
          () => {
            throw new Error('no such file');
          },
          /no such file\. The rows/,
        ],
      ];
      for (const [index, [describeRow, message]] of invalid.entries()) {
        const added = queue.addBulk([`good ${index}`, 'bad'], (id) =>
          id === 'bad' ? (describeRow() as never) : all.describeRow(id),
        );
        const error = await rejection(ConfigurationError, added);
        expect(error.message).toMatch(message);
        expect(error.message).toContain('rows[1]: ');
        expect(error.message).toContain('The rows before it were added');
      }
      await rejection(ConfigurationError, queue.add('', picture('x')));
      expect(await queue.count()).toMatchObject({ waiting: invalid.length });
      expect(all.mock.requests).toEqual([]);
    });

    test('the error of an invalid row names the conflicts before it', async () => {
      await using all = await start();
      const { queue, picture } = all;
      await queue.add('a', picture('one'));
      const rows = ['a', 'b', ''].map((id) => ({ id, submission: picture('two') }));
      const { message } = await rejection(
        ConfigurationError,
        queue.addBulk(rows, (row) => row),
      );
      expect(message).toContain('rows[2]: id: must be');
      expect(message).toContain(
        'were added except these ids, which exist with other params and were not changed: a;',
      );
      expect(await queue.count()).toMatchObject({ waiting: 2 });
    });

    test('the rows before an error of the inputs are added, also if it is a ConnectionError', async () => {
      await using all = await start();
      const { queue } = all;
      const lost = new ConnectionError('The list of prompts cannot be read.', {});
      async function* inputs() {
        yield 'a';
        throw lost;
      }
      expect(await rejection(ConnectionError, queue.addBulk(inputs(), all.describeRow))).toBe(lost);
      expect(await queue.get('a')).toMatchObject({ status: 'waiting' });
    });

    test('ids may be any non-empty string', async () => {
      await using all = await start();
      const { queue } = all;
      const ids = [
        '1',
        '0',
        '1:2',
        'a b',
        'a%20b',
        '😀',
        '\ud800',
        '\udc00',
        '%ud800',
        '../x',
        '\0\n',
        'é'.repeat(3_000),
      ];
      const results = queue.results();
      await queue.addBulk(ids, (id) => ({ id, submission: all.picture('x') }));
      queue.work();
      const rows = await take(results, ids.length);
      expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const id of ids) expect(await queue.get(id)).toMatchObject({ id, status: 'succeeded' });
      expect(all.mock.invoice).toHaveLength(ids.length);
    });

    test('the key is derived from prefix, queue, id and params; a key of the submission wins', async () => {
      await using all = await start();
      const { queue, gateway, picture } = all;
      await queue.add('a', picture('x'));
      const own = gateway.images.submission(
        { model: 'prism-image', prompt: 'x' },
        { idempotencyKey: 'my-key' },
      );
      await queue.add('b', own);
      const other = new GenerationQueue('others', {
        gateway,
        connection: { url: redis.url },
        prefix: all.prefix,
      });
      await other.add('a', picture('x'));
      const keys = [await queue.get('a'), await queue.get('b'), await other.get('a')].map(
        (row) => row?.idempotencyKey,
      );
      expect(keys[1]).toBe('my-key');
      expect(new Set(keys).size).toBe(3);
      await queue.remove('a');
      await queue.add('a', picture('y'));
      expect(keys).not.toContain((await queue.get('a'))?.idempotencyKey);
      await queue.remove('a');
      await queue.add('a', picture('x'));
      expect((await queue.get('a'))?.idempotencyKey).toBe(keys[0]);
      queue.work();
      await queue.result('b');
      expect(all.mock.tasks.some(({ idempotencyKey }) => idempotencyKey === 'my-key')).toBe(true);
      await other.close();
    });

    test('queues of one name and prefix on two servers share the keys of equal rows only', async () => {
      await using all = await start();
      const { queue, mock } = all;
      const other = all.open({ connection: { url: redis.url, db: 1 } });
      await queue.addBulk(['same', 'a'], all.describeRow);
      await other.addBulk(['same', 'b'], (prompt) => ({
        id: prompt === 'same' ? prompt : 'a',
        submission: all.picture(prompt),
      }));
      queue.work();
      other.work();
      for (const id of ['same', 'a']) await Promise.all([queue.result(id), other.result(id)]);
      const prompts = mock.tasks.map(({ prompt }) => prompt);
      expect(prompts.toSorted()).toEqual(['a', 'b', 'same']);
      expect(mock.invoice).toHaveLength(3);
    });

    test('extraBody and all kinds of submissions are sent as they were described', async () => {
      await using all = await start();
      const { queue, gateway, mock } = all;
      const speech = { model: 'echo-speech', text: 'hello', voice: 'alloy' };
      const video = { model: 'tide-video', prompt: 'a', duration: 5 };
      await queue.add(
        'image',
        gateway.images.submission(
          { model: 'prism-image', prompt: 'i' },
          { extraBody: { style: 0.5 } },
        ),
      );
      await queue.add('video', gateway.videos.submission(video));
      await queue.add('speech', gateway.audio.speech.submission(speech));
      await queue.add(
        'music',
        gateway.audio.music.submission({ model: 'anthem-music', prompt: 'p' }),
      );
      queue.work();
      const rows = await Promise.all(
        ['image', 'video', 'speech', 'music'].map((id) => queue.result(id)),
      );
      expect(rows.map(({ error, status }) => error?.message ?? status)).toEqual(
        rows.map(() => 'succeeded'),
      );
      const bodies = mock.requests.filter(({ method }) => method === 'POST');
      expect(mock.invoice).toHaveLength(4);
      const image = bodies.find(({ path }) => path.includes('images'));
      expect(image?.body).toMatchObject({ style: 0.5 });
    });
  });
});
