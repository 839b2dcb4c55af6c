import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import {
  caught,
  chat,
  clientOf,
  completeStream,
  eventStream,
  firstEvent,
  image,
  onMock,
  scripted,
  streamReply,
  submitted,
  turns,
  virtualClock,
} from '../support.ts';

/** Starts a raw streamed chat with a cap of one. The body is `firstEvent`, and ends as the callback decides. */
async function rawStream(
  end: Parameters<typeof streamReply>[1] = () => undefined,
  signal?: AbortSignal,
) {
  const clock = virtualClock();
  const body = { canceled: false };
  const cancel = () => {
    body.canceled = true;
  };
  const { fetch, sent } = scripted(streamReply(firstEvent, end, eventStream, cancel), submitted);
  const gateway = clientOf(fetch, { clock, concurrency: 1 });
  const call = gateway.chat.completions.create({ ...chat, stream: true }, { signal });
  const response = await call.asResponse();
  const next = caught(gateway.images.submit(image).then(() => Promise.reject(new Error('sent'))));
  await turns();
  expect(gateway.concurrency).toMatchObject({ inFlight: 1, queued: 1 });
  return { clock, body, sent, gateway, response, next };
}

describe('asResponse of a streamed chat holds its slot until the body', () => {
  test('is read to its end', async () => {
    const { mock, gateway } = onMock({}, { concurrency: 1 });
    const call = gateway.chat.completions.create({ ...chat, stream: true });
    const response = await call.asResponse();
    const next = gateway.images.submit(image);
    await turns();
    expect(mock.requests).toHaveLength(1);
    expect(await response.text()).toContain('data: [DONE]');
    await next;
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });

  test('is canceled', async () => {
    const { response, body, next } = await rawStream();
    await response.body?.cancel();
    expect((await next).message).toBe('sent');
    expect(body.canceled).toBe(true);
  });

  test('fails', async () => {
    const broken = new Error('reset');
    const { response, next } = await rawStream((controller) => controller.error(broken));
    expect(await caught(response.text())).toBe(broken);
    expect((await next).message).toBe('sent');
  });

  test('is aborted by the signal', async () => {
    const stop = new AbortController();
    const { response, body, next } = await rawStream(() => undefined, stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    expect((await next).message).toBe('sent');
    expect(await caught(response.text())).toBe(reason);
    expect(body.canceled).toBe(true);
  });

  test('has never been read for streamIdleTimeout', async () => {
    const { response, body, clock, next, sent } = await rawStream();
    await clock.advance(59_000);
    expect(sent).toHaveLength(1);
    await clock.advance(2_000);
    expect((await next).message).toBe('sent');
    expect(body.canceled).toBe(true);
    expect(await caught(response.text())).toMatchObject({ name: 'StreamIdleTimeoutError' });
  });

  test('sends nothing for streamIdleTimeout', async () => {
    const { response, clock, next } = await rawStream();
    const text = caught(response.text());
    await clock.advance(61_000);
    expect((await next).message).toBe('sent');
    expect(await text).toMatchObject({ name: 'StreamIdleTimeoutError' });
  });
});

describe('the body of a raw response with a slot', () => {
  test('is not timed while the caller does not read on', async () => {
    const { response, clock, gateway } = await rawStream((controller) => controller.close());
    const reader = response.body?.getReader();
    await reader?.read();
    await clock.advance(250_000);
    expect(gateway.concurrency.inFlight).toBe(1);
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  test('is read on demand if it is an event stream', async () => {
    let pulled = 0;
    const { response } = await rawStream((controller) => {
      pulled += 1;
      controller.enqueue(new TextEncoder().encode(firstEvent));
    });
    expect(pulled).toBe(0);
    const reader = response.body?.getReader();
    await reader?.read();
    await turns();
    expect(pulled).toBe(0);
    await reader?.cancel();
  });

  test('frees the slot at once if it is not an event stream', async () => {
    const { fetch, sent } = scripted(submitted);
    const gateway = clientOf(fetch, { concurrency: 1 });
    const first = await gateway.images.submit(image).asResponse();
    expect(gateway.concurrency.inFlight).toBe(0);
    await gateway.images.submit(image).asResponse();
    expect(sent).toHaveLength(2);
    expect(await first.json()).toMatchObject({ id: 'task_1' });
  });

  test('keeps the status, headers and URL of the response', async () => {
    const mock = createMockGateway();
    const server = await listen(mock);
    const { apiKey } = mock;
    const gateway = new Polygate({ apiKey, baseURL: server.baseURL, logLevel: 'off' });
    const response = await gateway.images.submit(image).asResponse();
    expect(response.status).toBe(202);
    expect(response.url).toBe(`${server.baseURL}/v1/images/tasks`);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    await response.body?.cancel();
    expect(gateway.concurrency.inFlight).toBe(0);
    await server.close();
  });

  test('leaves no timer and no listener behind', async () => {
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
    const stop = new AbortController();
    let listeners = 0;
    const { signal } = stop;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const whole = streamReply(completeStream, (controller) => controller.close(), eventStream);
    const gateway = clientOf(scripted(whole).fetch, { clock: counting });
    const call = gateway.chat.completions.create({ ...chat, stream: true }, { signal });
    await (await call.asResponse()).text();
    await turns();
    expect({ pending, listeners }).toEqual({ pending: 0, listeners: 0 });
  });

  test('is the original one for a request that needs no slot', async () => {
    let original: Response | undefined;
    const fetch = async () => {
      original = Response.json({ object: 'list', data: [] });
      return original;
    };
    const response = await clientOf(fetch).models.list().asResponse();
    expect(response.body).toBe(original?.body);
  });
});

describe('a raw stream whose consumer pauses after the first chunk', () => {
  setFlagsFromString('--expose-gc');
  // The flag only affects contexts created after it is set.
  const collectGarbage = runInNewContext('gc') as () => void;

  async function collectUnreachable(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      await turns();
      collectGarbage();
    }
    await turns();
  }

  async function readerAfterFirstChunk(gateway: Polygate) {
    const call = gateway.chat.completions.create({ ...chat, stream: true });
    const reader = (await call.asResponse()).body?.getReader();
    await reader?.read();
    return reader;
  }

  test('and is garbage collected frees its slot and is canceled', async () => {
    const { mock, gateway } = onMock({ chunkDelayMs: 10 });
    await mock.clock.settle(readerAfterFirstChunk(gateway).then(() => undefined));
    expect(gateway.concurrency.inFlight).toBe(1);
    await collectUnreachable();
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });

  test('and is still reachable keeps its slot', async () => {
    const { mock, gateway } = onMock({ chunkDelayMs: 10 });
    const reader = await mock.clock.settle(readerAfterFirstChunk(gateway));
    await collectUnreachable();
    expect(gateway.concurrency.inFlight).toBe(1);
    await reader?.cancel();
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});
