import { describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { image, onMock, rejection } from './setup.ts';
import { memoryStorage, openTab } from './support.ts';

const route = 'POST /v1/images/tasks';

describe('a generation', () => {
  test('goes through its states, and ends with URLs', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images);
    expect(tab.now).toMatchObject({ status: 'idle', urls: [], isPending: false, error: undefined });
    const result = await mock.clock.settle(tab.store.generate(image));
    expect(tab.statuses()).toEqual(['idle', 'submitting', 'queued', 'running', 'succeeded']);
    expect(tab.now).toMatchObject({ isPending: false, generation: result, urls: result?.urls });
    expect(tab.now.task?.id).toBe(mock.invoice[0]?.taskId);
    expect(mock.invoice).toHaveLength(1);
  });

  test('reports progress as a number', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images);
    await mock.clock.settle(tab.store.generate(image));
    expect(tab.snapshots.some(({ progress = 0 }) => progress > 0 && progress < 100)).toBe(true);
  });

  test('works for videos, music and speech', async () => {
    const { mock, gateway } = onMock();
    const { music, speech } = gateway.audio;
    const video = openTab(gateway.videos);
    const song = openTab(music);
    const voice = openTab(speech);
    await mock.clock.settle(video.store.generate({ model: 'tide-video', prompt: 'A harbor' }));
    await mock.clock.settle(song.store.generate({ model: 'anthem-music', prompt: 'A shanty' }));
    await mock.clock.settle(
      voice.store.generate({ model: 'echo-speech', text: 'Ahoy', voice_id: 'calm-narrator' }),
    );
    for (const tab of [video, song, voice]) expect(tab.now.error).toBeUndefined();
    expect([gateway.images.media, gateway.videos.media, music.media, speech.media]).toEqual([
      'image',
      'video',
      'music',
      'speech',
    ]);
  });

  test('rejects while one is pending, with a code, and sends one request', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images);
    const first = tab.store.generate(image);
    expect(await rejection(tab.store.generate(image))).toMatchObject({
      code: 'generation_pending',
    });
    await mock.clock.settle(first);
    expect(mock.invoice).toHaveLength(1);
    await mock.clock.settle(tab.store.generate(image));
    expect(mock.invoice).toHaveLength(2);
  });

  test('refuses params that are not JSON, and sends nothing', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images);
    const params: Record<string, unknown> & typeof image = { ...image };
    params['self'] = params;
    expect(await rejection(tab.store.generate(params))).toMatchObject({ code: 'invalid_params' });
    expect(mock.requests).toHaveLength(0);
    expect(tab.now.status).toBe('idle');
  });

  test('of a rejected request resolves to undefined, and another one can start', async () => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    const onError = vi.fn<(error: Error) => void>();
    const tab = openTab(gateway.images, { storage, onError });
    mock.fail({ route, status: 402, times: 1 });
    expect(await mock.clock.settle(tab.store.generate(image))).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'failed', error: { name: 'PaymentRequiredError' } });
    expect(onError).toHaveBeenCalledOnce();
    expect(items.size).toBe(0);
    await mock.clock.settle(tab.store.generate({ ...image, prompt: 'A lighthouse' }));
    expect(tab.now).toMatchObject({ status: 'succeeded', error: undefined });
  });

  test('of a failed task has its error, and calls onError once', async () => {
    const { mock, gateway } = onMock({ tasks: { outcome: 'failed' } });
    const onError = vi.fn<(error: Error) => void>();
    const tab = openTab(gateway.images, { onError });
    expect(await mock.clock.settle(tab.store.generate(image))).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'failed', error: { name: 'TaskFailedError' } });
    expect(onError.mock.calls).toEqual([[tab.now.error]]);
    expect(await rejection(tab.store.resume())).toMatchObject({ code: 'nothing_to_resume' });
  });

  test('calls onFinish once, and not again after a reload', async () => {
    const { mock, gateway } = onMock();
    const { storage } = memoryStorage();
    const onFinish = vi.fn<(generation: unknown) => void>();
    const tab = openTab(gateway.images, { storage, onFinish });
    const result = await mock.clock.settle(tab.store.generate(image));
    tab.close();
    const reloaded = openTab(gateway.images, { storage, onFinish });
    await eventually(() => expect(reloaded.now.status).toBe('succeeded'));
    expect(onFinish.mock.calls).toEqual([[result]]);
    expect(reloaded.now.urls).toEqual(result?.urls);
    expect(reloaded.now.generation?.createdAt).toEqual(result?.createdAt);
  });

  test('survives callbacks that throw', async () => {
    const { mock, gateway } = onMock();
    const log = vi.spyOn(console, 'warn').mockReturnValue();
    const onFinish = () => {
      throw new Error('broken');
    };
    const tab = openTab(gateway.images, { onFinish });
    await mock.clock.settle(tab.store.generate(image));
    await eventually(() => expect(log).toHaveBeenCalledOnce());
    log.mockRestore();
    expect(tab.now.status).toBe('succeeded');
  });

  test('replaces its snapshot only when something changes', async () => {
    const { mock, gateway } = onMock();
    const { storage } = memoryStorage();
    const tab = openTab(gateway.images, { storage });
    await mock.clock.settle(tab.store.generate(image));
    for (const [index, snapshot] of tab.snapshots.slice(1).entries()) {
      expect(snapshot).not.toEqual(tab.snapshots[index]);
    }
    const { now } = tab;
    tab.unmount();
    tab.remount();
    await mock.clock.settle(tab.store.resume()).catch(() => undefined);
    expect(tab.now).toBe(now);
  });
});

describe('stop', () => {
  test('stops waiting: idle with a task, and another one can start', async () => {
    const { mock, gateway } = onMock();
    const tab = openTab(gateway.images);
    const first = tab.store.generate(image);
    await eventually(() => expect(tab.now.status).toBe('queued'));
    tab.store.stop();
    expect(await first).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'idle', isPending: false, task: { kind: 'image' } });
    const polls = mock.requests.length;
    await mock.clock.advance(60_000);
    expect(mock.requests).toHaveLength(polls);
    const second = tab.store.generate(image);
    await mock.clock.settle(second);
    expect(mock.invoice).toHaveLength(2);
  });

  test('while the request is sent keeps its task', async () => {
    const { mock, gateway } = onMock();
    const { storage, entry } = memoryStorage();
    mock.fail({ route, delayMs: 1_000, times: 1 });
    const tab = openTab(gateway.images, { storage });
    const result = tab.store.generate(image);
    await eventually(() => expect(mock.requests).toHaveLength(1));
    tab.store.stop();
    expect(await mock.clock.settle(result)).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'idle', task: { kind: 'image' } });
    expect(entry().receipt.id).toBe(mock.invoice[0]?.taskId);
  });

  test('can be resumed, and a reload waits for the task', async () => {
    const { mock, gateway } = onMock();
    const { storage } = memoryStorage();
    const tab = openTab(gateway.images, { storage });
    void tab.store.generate(image);
    await eventually(() => expect(tab.now.status).toBe('queued'));
    tab.store.stop();
    const other = openTab(gateway.images, { storage });
    await eventually(() => expect(other.now.status).toMatch(/queued|running/));
    other.close();
    expect(await mock.clock.settle(tab.store.resume())).toMatchObject({ status: 'succeeded' });
    expect(mock.invoice).toHaveLength(1);
  });
});

test('a wait that times out keeps the task for resume', async () => {
  const { mock, gateway } = onMock({ tasks: { durationMs: 20_000 } });
  const { storage } = memoryStorage();
  const onError = vi.fn<(error: Error) => void>();
  const onFinish = vi.fn<(generation: unknown) => void>();
  const waitOptions = { waitTimeout: 5_000 };
  const tab = openTab(gateway.images, { storage, waitOptions, onError, onFinish });
  expect(await mock.clock.settle(tab.store.generate(image))).toBeUndefined();
  expect(tab.now).toMatchObject({
    status: 'failed',
    error: { name: 'TaskWaitTimeoutError' },
    task: { kind: 'image' },
  });
  await mock.clock.advance(20_000);
  expect(await mock.clock.settle(tab.store.resume())).toMatchObject({ status: 'succeeded' });
  expect(tab.now.error).toBeUndefined();
  expect([onError.mock.calls.length, onFinish.mock.calls.length]).toEqual([1, 1]);
  expect(mock.invoice).toHaveLength(1);
});

test('unmounting stops the polls, and mounting again continues with one poller', async () => {
  const { mock, gateway } = onMock();
  const tab = openTab(gateway.images);
  const result = tab.store.generate(image);
  await eventually(() => expect(tab.now.status).toBe('queued'));
  tab.unmount();
  expect(await result).toBeUndefined();
  const before = mock.requests.length;
  await mock.clock.advance(10_000);
  expect(mock.requests).toHaveLength(before);
  // As strict mode does.
  tab.remount();
  tab.unmount();
  tab.remount();
  await eventually(() => expect(tab.now.status).toBe('succeeded'));
  expect(mock.requests).toHaveLength(before + 1);
});

test('a submit that continues after unmounting stores its receipt', async () => {
  const { mock, gateway } = onMock();
  const { storage, entry } = memoryStorage();
  mock.fail({ route, delayMs: 1_000, times: 1 });
  const tab = openTab(gateway.images, { storage });
  const result = tab.store.generate(image);
  await eventually(() => expect(mock.requests).toHaveLength(1));
  tab.unmount();
  expect(await mock.clock.settle(result)).toBeUndefined();
  expect(entry().receipt.id).toBe(mock.invoice[0]?.taskId);
});

describe('reset', () => {
  test('forgets the generation, and drops a response that arrives later', async () => {
    const { mock, gateway } = onMock();
    const { storage, items } = memoryStorage();
    mock.fail({ route, delayMs: 1_000, times: 1 });
    const tab = openTab(gateway.images, { storage });
    const result = tab.store.generate(image);
    await eventually(() => expect(mock.requests).toHaveLength(1));
    tab.store.reset();
    expect(tab.now).toMatchObject({ status: 'idle', task: undefined, isPending: false });
    await mock.clock.advance(2_000);
    expect(await result).toBeUndefined();
    expect(tab.now).toMatchObject({ status: 'idle', task: undefined });
    expect(items.size).toBe(0);
  });

  test('lets another generation start immediately', async () => {
    const { mock, gateway } = onMock();
    const { storage } = memoryStorage();
    const tab = openTab(gateway.images, { storage });
    void tab.store.generate(image);
    tab.store.reset();
    const result = await mock.clock.settle(tab.store.generate({ ...image, prompt: 'A boat' }));
    expect(tab.now).toMatchObject({ status: 'succeeded', generation: result });
  });
});
