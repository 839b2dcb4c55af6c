import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import type { ChatStream, Polygate } from '../../../src/index.ts';
import {
  body,
  clientOf,
  doneEvent,
  params,
  streamHeaders,
  streamingFetch,
  streamOf,
  textEvent,
  finishEvent,
} from '../../support/event-stream.ts';
import {
  image,
  jsonReply,
  onMock,
  clientOf as scriptedClient,
  scripted,
  turns,
} from '../support.ts';

const done = { done: true, value: undefined };

/** Every way to iterate over a chat stream. */
const readers: Readonly<Record<string, (stream: ChatStream) => AsyncIterator<unknown>>> = {
  'its chunks': (stream) => stream[Symbol.asyncIterator](),
  'text()': (stream) => stream.text(),
  'partialObjects()': (stream) => stream.partialObjects(),
  'a branch of tee()': (stream) => stream.tee()[0][Symbol.asyncIterator](),
  'a branch of a branch': (stream) => stream.tee()[1].tee()[0].text(),
};
const eachReader = describe.each(Object.entries(readers));

eachReader('after return(), next() of %s', (name, read) => {
  test.each([
    [
      'in the middle of the stream',
      1,
      streamOf.bind(undefined, [textEvent('["a'), textEvent('b')]),
    ],
    ['before the first read', 0, streamOf.bind(undefined, [textEvent('["a')])],
    [
      'of a complete stream',
      3,
      streamOf.bind(undefined, [textEvent('["a'), finishEvent(), doneEvent]),
    ],
  ])('resolves to done: %s', async (_, reads, open) => {
    const iterator = read(open());
    for (let count = 0; count < reads; count += 1) await iterator.next();
    expect(await iterator.return?.()).toEqual(done);
    expect(await iterator.next()).toEqual(done);
    expect(await Promise.all([iterator.next(), iterator.next()])).toEqual([done, done]);
    expect(await iterator.return?.()).toEqual(done);
  });

  test('resolves to done if it was pending, and the response is canceled at once', async () => {
    let canceled = false;
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: () => new Promise(() => {}),
      cancel() {
        canceled = true;
      },
    });
    const gateway = clientOf(async () => new Response(endless, { headers: streamHeaders }));
    const stream = gateway.chat.completions.stream(params);
    const iterator = read(stream);
    const pending = iterator.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await Promise.all([iterator.return?.(), pending])).toEqual([done, done]);
    if (!name.includes('branch')) expect(canceled).toBe(true);
    expect(await iterator.next()).toEqual(done);
  });

  test('resolves to done if it was pending before the headers arrived', async () => {
    const gateway = clientOf(() => new Promise(() => {}));
    const iterator = read(gateway.chat.completions.stream(params));
    const pending = iterator.next();
    expect(await Promise.all([iterator.return?.(), pending])).toEqual([done, done]);
    expect(await iterator.next()).toEqual(done);
  });

  test('resolves to done if the headers arrive later', async () => {
    let respond: (response: Response) => void = () => undefined;
    const gateway = clientOf(
      () =>
        new Promise((resolve) => {
          respond = resolve;
        }),
    );
    const iterator = read(gateway.chat.completions.stream(params));
    const pending = iterator.next();
    await new Promise((resolve) => setImmediate(resolve));
    const returned = iterator.return?.();
    respond(new Response(body([textEvent('["a')], 'stall'), { headers: streamHeaders }));
    expect(await Promise.all([returned, pending, iterator.next()])).toEqual([done, done, done]);
  });
});

test('return() of text() does not end a stream that another reader reads', async () => {
  const stream = streamOf([textEvent('a'), textEvent('b'), finishEvent(), doneEvent]);
  const texts = stream.text();
  const chunks = stream[Symbol.asyncIterator]();
  await chunks.next();
  expect(await texts.return()).toEqual(done);
  expect((await chunks.next()).value?.choices[0]?.delta.content).toBe('b');
});

test('after return(), final() rejects and a stream from create() reports done', async () => {
  const stream = streamOf([textEvent('["a')]);
  await stream[Symbol.asyncIterator]().return?.();
  await expect(stream.final()).rejects.toBeInstanceOf(AbortedError);
  const { completions } = clientOf(streamingFetch([textEvent('["a')])).chat;
  const created = await completions.create({ ...params, stream: true });
  const iterator = created[Symbol.asyncIterator]();
  await iterator.return?.();
  expect(await iterator.next()).toEqual(done);
});

test('abort() still rejects pending and later reads', async () => {
  const stream = streamOf([textEvent('["a')], 'stall');
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  const pending = iterator.next();
  stream.abort();
  await expect(pending).rejects.toBeInstanceOf(AbortedError);
  await expect(iterator.next()).rejects.toBeInstanceOf(AbortedError);
});

const iterations: Readonly<Record<string, (gateway: Polygate) => AsyncIterator<unknown>>> = {
  'updates() of a task': (gateway) => gateway.images.task('task_1').updates(),
  'updates() of a material': (gateway) => gateway.materials.updates('mat_1'),
  'a batch': (gateway) => gateway.batch([1], () => gateway.images.submission(image)),
};

describe.each(Object.entries(iterations))('after return(), next() of %s', (_, iterate) => {
  test('resolves to done, whether it was pending or not', async () => {
    const { gateway, mock } = onMock();
    const fresh = iterate(gateway);
    expect(await fresh.return?.()).toEqual(done);
    expect(await fresh.next()).toEqual(done);
    const { fetch } = scripted(jsonReply(200, { id: 'task_1', status: 'processing' }));
    const iterator = iterate(scriptedClient(fetch, { clock: mock.clock }));
    const pending = iterator.next();
    const returned = iterator.return?.();
    await mock.clock.settle(Promise.allSettled([pending, returned]));
    expect(await returned).toEqual(done);
    expect(await iterator.next()).toEqual(done);
  });
});

test('after return(), next() of the pages of materials resolves to done', async () => {
  const page = { data: [{ id: 'a', status: 'available' }], has_more: true, next_cursor: 'c' };
  const { fetch, sent } = scripted(jsonReply(200, page));
  const iterator = (await scriptedClient(fetch).materials.list())[Symbol.asyncIterator]();
  await iterator.next();
  const pending = iterator.next();
  const returned = iterator.return?.();
  expect((await pending).done).toBe(false);
  expect(await returned).toEqual(done);
  expect(await iterator.next()).toEqual(done);
  expect(sent).toHaveLength(2);
});

test.each(['text', 'partialObjects'] as const)(
  'return() of %s() before the first read cancels the request and frees its slot',
  async (method) => {
    const { gateway } = onMock();
    const stream = gateway.chat.completions.stream({
      model: 'aurora-chat',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await turns();
    expect(gateway.concurrency.inFlight).toBe(1);
    await stream[method]().return();
    await turns();
    expect(gateway.concurrency.inFlight).toBe(0);
  },
);
