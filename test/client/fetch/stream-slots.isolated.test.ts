import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';

import { bytes, doneEvent, streamHeaders, textEvent } from '../../support/event-stream.ts';
import { caught, clientOf, image, onMock, submitted, turns, virtualClock } from '../support.ts';
import { chat, fetchStream } from './stream-support.ts';
import type { Pieces } from './stream-support.ts';
import { chatPath, fetchChat, imagePath, post, scriptedClient } from './support.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the slot of a streamed chat', () => {
  const busy = (pieces: Pieces = [textEvent('a')]) =>
    fetchStream(pieces, 'stall', { concurrency: 1 });

  test('is held until the body ends', async () => {
    const { response, gateway } = await fetchStream([textEvent('a'), doneEvent], 'close', {
      concurrency: 1,
    });
    expect(gateway.concurrency.inFlight).toBe(1);
    await response.text();
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is freed when the body is canceled, and so is the connection', async () => {
    const { response, gateway, state } = await busy();
    await response.body?.cancel();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.canceled).toBe(1);
  });

  test('is freed when a reader cancels', async () => {
    const { response, gateway, state } = await busy();
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.canceled).toBe(1);
  });

  test('is freed when the signal aborts, with its reason', async () => {
    const stop = new AbortController();
    const { response, gateway, state } = await fetchStream(
      [textEvent('a')],
      'stall',
      { concurrency: 1 },
      { signal: stop.signal },
    );
    const reader = response.body?.getReader();
    await reader?.read();
    const pending = caught(Promise.resolve(reader?.read()));
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await pending).toBe(reason);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.canceled).toBe(1);
  });

  test('is freed after silence, with StreamIdleTimeoutError', async () => {
    const { response, gateway, clock, state } = await busy();
    const text = caught(response.text());
    await turns();
    await clock.advance(61_000);
    expect(await text).toMatchObject({ name: 'StreamIdleTimeoutError', outcome: 'unknown' });
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.canceled).toBe(1);
  });

  test('is freed if the body is never read', async () => {
    const { response, gateway, clock } = await busy();
    await clock.advance(61_000);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(await caught(response.text())).toMatchObject({ name: 'StreamIdleTimeoutError' });
  });

  test('is freed when an event exceeds maxEventBytes, and so is the connection', async () => {
    const { response, gateway, state } = await fetchStream([textEvent('a'.repeat(500))], 'stall', {
      concurrency: 1,
      maxEventBytes: 100,
    });
    expect(await caught(response.text())).toMatchObject({ name: 'StreamError' });
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(state.canceled).toBe(1);
  });

  test('lets the next request through', async () => {
    const { mock, gateway } = onMock({}, { concurrency: 1 });
    const response = await fetchChat(gateway, { ...chat, model: 'aurora-chat' });
    const next = gateway.fetch(imagePath, post(image));
    await turns();
    expect(mock.requests).toHaveLength(1);
    await response.text();
    expect((await next).status).toBe(202);
  });

  test('is not held by a response that is no stream', async () => {
    const { gateway } = scriptedClient([submitted], { concurrency: 1 });
    await gateway.fetch(imagePath, post(image));
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is freed when the signal of a Request aborts that nobody keeps', async () => {
    const stop = new AbortController();
    const { mock, gateway } = onMock({ chunkDelayMs: 10 });
    const start = async () => {
      const url = `${gateway.baseURL}${chatPath}`;
      const init = post({ ...chat, model: 'aurora-chat' });
      const response = await gateway.fetch(new Request(url, { ...init, signal: stop.signal }));
      const reader = response.body?.getReader();
      await reader?.read();
      return reader;
    };
    const reader = await mock.clock.settle(start());
    for (let round = 0; round < 5; round += 1) {
      await turns();
      collectGarbage();
    }
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await caught(Promise.resolve(reader?.read()))).toBe(reason);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is freed when the response is garbage collected', async () => {
    const { mock, gateway } = onMock({ chunkDelayMs: 10 });
    const start = async () => {
      const response = await fetchChat(gateway, { ...chat, model: 'aurora-chat' });
      await response.body?.getReader().read();
    };
    await mock.clock.settle(start());
    expect(gateway.concurrency.inFlight).toBe(1);
    for (let round = 0; round < 5; round += 1) {
      await turns();
      collectGarbage();
    }
    await turns();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });
});

describe('the body of a streamed chat', () => {
  test('is read on demand, one chunk at a time', async () => {
    let pulled = 0;
    const endless = () =>
      new ReadableStream(
        {
          pull(controller) {
            pulled += 1;
            controller.enqueue(bytes(textEvent('a')));
          },
        },
        { highWaterMark: 0 },
      );
    const gateway = clientOf(async () => new Response(endless(), { headers: streamHeaders }));
    const response = await fetchChat(gateway, chat);
    await turns();
    expect(pulled).toBe(0);
    const reader = response.body?.getReader();
    await reader?.read();
    await turns();
    expect(pulled).toBe(1);
    await reader?.cancel();
  });

  test('is not timed while the caller does not read on', async () => {
    const { response, clock } = await fetchStream([textEvent('a'), doneEvent]);
    const reader = response.body?.getReader();
    await reader?.read();
    await clock.advance(250_000);
    expect(await reader?.read()).toMatchObject({ done: false });
  });

  test('leaves no timer behind', async () => {
    const clock = virtualClock();
    let pending = 0;
    const counting = {
      now: () => clock.now(),
      sleep: async (ms: number, signal?: AbortSignal) => {
        pending += 1;
        await clock.sleep(ms, signal).finally(() => {
          pending -= 1;
        });
      },
    };
    for (const end of ['close', 'reset'] as const) {
      const { response } = await fetchStream([textEvent('a')], end, { clock: counting });
      await caught(response.text());
      await turns();
      expect(pending).toBe(0);
    }
  });
});
