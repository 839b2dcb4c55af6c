import { describe, expect, test } from 'vitest';

import { ConfigurationError, Polygate } from '../../src/index.ts';
import { image, onMock } from '../client/support.ts';

/** A second client of the same service, as another process would create it. */
function otherClient({ mock }: ReturnType<typeof onMock>): Polygate {
  const { apiKey, baseURL, fetch, clock } = mock;
  return new Polygate({ apiKey, baseURL, fetch, clock });
}

const valid = {
  v: 1,
  kind: 'image',
  id: 'task_1',
  idempotencyKey: 'row-1',
  chargeUsd: 0.02,
  submittedAt: '2026-05-01T00:00:00.000Z',
};

describe('a receipt', () => {
  test('is what JSON.stringify() returns for a task, without the API key and the prompt', async () => {
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

  test('stays the same while the task continues', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    const before = JSON.stringify(task);
    await mock.clock.settle(task.wait());
    expect(JSON.stringify(task)).toBe(before);
  });

  test('resumes the task from another client without a second charge', async () => {
    const here = onMock();
    const { mock } = here;
    const text = JSON.stringify(await here.gateway.images.submit(image));
    const resumed = otherClient(here).resume(JSON.parse(text));
    expect(resumed).toMatchObject({ kind: 'image', latest: undefined, meta: undefined });
    expect(resumed.chargeUsd).toBe(mock.invoice[0]?.usd);
    expect(mock.requests).toHaveLength(1);
    expect(JSON.stringify(resumed)).toBe(text);
    const done = await mock.clock.settle(resumed.wait());
    expect(done).toMatchObject({ status: 'succeeded', id: mock.tasks[0]?.id });
    expect(mock.invoice).toHaveLength(1);
  });

  test('of an older task leads to an immediate poll', async () => {
    const here = onMock();
    const text = JSON.stringify(await here.gateway.images.submit(image));
    await here.mock.clock.advance(86_400_000 - 1);
    const before = here.mock.clock.now();
    await otherClient(here).resume(JSON.parse(text)).wait();
    expect(here.mock.clock.now()).toBe(before);
  });

  test('of task(id) can be resumed without the key and the date', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.images.submit(image);
    const text = JSON.stringify(gateway.images.task(id));
    expect(JSON.parse(text)).toEqual({ v: 1, kind: 'image', id });
    const done = await mock.clock.settle(gateway.resume(JSON.parse(text)).wait());
    expect(done.status).toBe('succeeded');
  });

  test('of each kind resumes a task of that kind', async () => {
    const { gateway, mock } = onMock();
    const tasks = [
      await gateway.images.submit(image),
      await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' }),
      await gateway.audio.music.submit({ model: 'anthem-music', prompt: 'A harbor' }),
    ];
    for (const task of tasks) {
      const resumed = gateway.resume(JSON.parse(JSON.stringify(task)));
      expect(resumed.kind).toBe(task.kind);
      expect(await mock.clock.settle(resumed.wait())).toMatchObject({ status: 'succeeded' });
    }
  });

  test('may be its JSON text', async () => {
    const { gateway, mock } = onMock();
    const text = JSON.stringify(await gateway.images.submit(image));
    const unchecked: unknown = text;
    for (const resumed of [gateway.resume(unchecked), gateway.images.task(text)]) {
      expect(JSON.stringify(resumed)).toBe(text);
      expect((await mock.clock.settle(resumed.wait())).status).toBe('succeeded');
    }
    expect(() => gateway.videos.task(text)).toThrow('its kind is image, not video');
    const id: unknown = 'task_1';
    expect(() => gateway.resume(id)).toThrow('For a task id, use a namespace');
  });

  test('drops unknown fields, so that a later version may add some', () => {
    const { gateway } = onMock();
    const later: unknown = { ...valid, addedLater: 'x' };
    const task = gateway.resume(later);
    expect(JSON.parse(JSON.stringify(task))).toEqual(valid);
  });
});

describe('a malformed receipt causes a ConfigurationError', () => {
  const malformed: [string, unknown][] = [
    ['nothing', undefined],
    ['null', null],
    ['a string', 'task_1'],
    ['cut JSON', JSON.stringify(valid).slice(0, -1)],
    ['a list', [valid]],
    ['an empty object', {}],
    ['no version', { ...valid, v: undefined }],
    ['another version', { ...valid, v: 2 }],
    ['a version as a string', { ...valid, v: '1' }],
    ['no kind', { ...valid, kind: undefined }],
    ['an unknown kind', { ...valid, kind: 'poem' }],
    ['a kind that every object has as a property', { ...valid, kind: 'constructor' }],
    ['no id', { ...valid, id: undefined }],
    ['an empty id', { ...valid, id: '' }],
    ['an id that is not a string', { ...valid, id: 7 }],
    ['an id that changes the path', { ...valid, id: '..' }],
    ['an id with a control character', { ...valid, id: 'a\nb' }],
    ['a key that is not a string', { ...valid, idempotencyKey: 7 }],
    ['a key with a space', { ...valid, idempotencyKey: 'a b' }],
    ['a charge as a string', { ...valid, chargeUsd: '0.02' }],
    ['an invalid date', { ...valid, submittedAt: 'yesterday' }],
    ['a date as a number', { ...valid, submittedAt: 1 }],
  ];

  test.each(malformed)('%s', (_, receipt) => {
    const { gateway, mock } = onMock();
    expect(() => gateway.resume(receipt)).toThrow(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  test('of another kind, passed to images', () => {
    const { gateway } = onMock();
    // An untyped caller can pass this.
    const receipt = { ...valid, v: 1, kind: 'video' as 'image' } as const;
    expect(() => gateway.images.task(receipt)).toThrow(ConfigurationError);
    expect(() => gateway.images.task({ ...receipt, kind: 'image' })).not.toThrow();
  });
});
