import { describe, expect, test } from 'vitest';

import { ConfigurationError, Polygate } from '../../src/index.ts';
import { image, onMock } from '../core/support.ts';

/** A second client of the same service, as another process would make it. */
function elsewhere({ mock }: ReturnType<typeof onMock>): Polygate {
  const { apiKey, baseURL, fetch, clock } = mock;
  return new Polygate({ apiKey, baseURL, fetch, clock });
}

const good = {
  v: 1,
  kind: 'image',
  id: 'task_1',
  idempotencyKey: 'row-1',
  chargeUsd: 0.02,
  submittedAt: '2026-05-01T00:00:00.000Z',
};

describe('a receipt', () => {
  test('is what JSON.stringify() makes of a task, and holds nothing else', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image, { idempotencyKey: 'row-1' });
    const text = JSON.stringify(task);
    expect(JSON.parse(text)).toEqual({
      v: 1,
      kind: 'image',
      id: task.id,
      idempotencyKey: 'row-1',
      chargeUsd: mock.invoice[0]?.usd,
      submittedAt: '2026-05-01T00:00:00.000Z',
    });
    expect(text).not.toContain(mock.apiKey);
    expect(text).not.toContain(image.prompt);
  });

  test('stays the same while the task goes on', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    const before = JSON.stringify(task);
    await mock.clock.settle(task.wait());
    expect(JSON.stringify(task)).toBe(before);
  });

  test('finds the task again from another client, and nothing is paid twice', async () => {
    const here = onMock();
    const { mock } = here;
    const text = JSON.stringify(await here.gateway.images.submit(image));
    const again = elsewhere(here).resume(JSON.parse(text));
    expect(again).toMatchObject({ kind: 'image', latest: undefined, meta: undefined });
    expect(again.chargeUsd).toBe(mock.invoice[0]?.usd);
    expect(mock.requests).toHaveLength(1);
    expect(JSON.stringify(again)).toBe(text);
    const done = await mock.clock.settle(again.wait());
    expect(done).toMatchObject({ status: 'succeeded', id: mock.tasks[0]?.id });
    expect(mock.invoice).toHaveLength(1);
  });

  test('of a task of another day asks at once', async () => {
    const here = onMock();
    const text = JSON.stringify(await here.gateway.images.submit(image));
    await here.mock.clock.advance(86_400_000 - 1);
    const before = here.mock.clock.now();
    await elsewhere(here).resume(JSON.parse(text)).wait();
    expect(here.mock.clock.now()).toBe(before);
  });

  test('of task(id) may lack the key and the date, and resumes', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.images.submit(image);
    const text = JSON.stringify(gateway.images.task(id));
    expect(JSON.parse(text)).toEqual({ v: 1, kind: 'image', id });
    const done = await mock.clock.settle(gateway.resume(JSON.parse(text)).wait());
    expect(done.status).toBe('succeeded');
  });

  test('of each kind leads to a task of that kind', async () => {
    const { gateway, mock } = onMock();
    const tasks = [
      await gateway.images.submit(image),
      await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbour' }),
      await gateway.audio.music.submit({ model: 'anthem-music', prompt: 'A harbour' }),
    ];
    for (const task of tasks) {
      const again = gateway.resume(JSON.parse(JSON.stringify(task)));
      expect(again.kind).toBe(task.kind);
      expect(await mock.clock.settle(again.wait())).toMatchObject({ status: 'succeeded' });
    }
  });

  test('keeps unknown fields out, so that a later version may add some', () => {
    const { gateway } = onMock();
    const task = gateway.resume({ ...good, addedLater: 'x' });
    expect(JSON.parse(JSON.stringify(task))).toEqual(good);
  });
});

describe('a damaged receipt is a ConfigurationError', () => {
  const damaged: [string, unknown][] = [
    ['nothing', undefined],
    ['null', null],
    ['a text', JSON.stringify(good)],
    ['a list', [good]],
    ['an empty object', {}],
    ['no version', { ...good, v: undefined }],
    ['another version', { ...good, v: 2 }],
    ['a version in words', { ...good, v: '1' }],
    ['no kind', { ...good, kind: undefined }],
    ['an unknown kind', { ...good, kind: 'poem' }],
    ['a kind of every object', { ...good, kind: 'constructor' }],
    ['no id', { ...good, id: undefined }],
    ['an empty id', { ...good, id: '' }],
    ['an id that is no text', { ...good, id: 7 }],
    ['an id that climbs', { ...good, id: '..' }],
    ['an id with a control character', { ...good, id: 'a\nb' }],
    ['a key that is no text', { ...good, idempotencyKey: 7 }],
    ['a key with a space', { ...good, idempotencyKey: 'a b' }],
    ['a charge in words', { ...good, chargeUsd: '0.02' }],
    ['a date that is none', { ...good, submittedAt: 'yesterday' }],
    ['a date as a number', { ...good, submittedAt: 1 }],
  ];

  test.each(damaged)('%s', (_, receipt) => {
    const { gateway, mock } = onMock();
    expect(() => gateway.resume(receipt)).toThrow(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  test('and so is one of another kind, given to images', () => {
    const { gateway } = onMock();
    // What a caller without types may pass.
    const receipt = { ...good, v: 1, kind: 'video' as 'image' } as const;
    expect(() => gateway.images.task(receipt)).toThrow(ConfigurationError);
    expect(() => gateway.images.task({ ...receipt, kind: 'image' })).not.toThrow();
  });
});
