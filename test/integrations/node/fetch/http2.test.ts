import { constants } from 'node:http2';

import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { nodeFetch } from 'polygate/node';
import { Agent as Agent7 } from 'undici';
import { Agent as Agent8 } from 'undici-8';
import { describe, expect, onTestFinished, test } from 'vitest';

import { eventually } from '../../../support/eventually.ts';
import { startHttp2Gateway } from '../../../support/http2-server.ts';
import type { Http2Fault, Http2Gateway } from '../../../support/http2-server.ts';
import { failure } from './support.ts';

const chat = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Why do ships float?' }],
};
const image = { model: 'prism-image', prompt: 'A harbor' };

describe.each([
  { version: 7, Agent: Agent7 },
  { version: 8, Agent: Agent8 },
])('over HTTP/2 with undici $version', ({ version, Agent }) => {
  async function open(options: PolygateOptions = {}) {
    const gateway = await startHttp2Gateway();
    const dispatcher = new Agent({
      allowH2: true,
      connections: 64,
      connect: { ca: gateway.certificate },
    });
    const fetch = nodeFetch({ dispatcher });
    onTestFinished(async () => {
      await dispatcher.destroy();
      gateway.close();
    });
    const { mock, baseURL } = gateway;
    const client = new Polygate({
      apiKey: mock.apiKey,
      baseURL,
      fetch,
      random: () => 0,
      logLevel: 'off',
      ...options,
    });
    return { gateway, client, fetch };
  }

  const charges = ({ mock }: Http2Gateway) => mock.invoice.length;

  test('calls, streams and downloads succeed', async () => {
    const { gateway, client } = await open();
    const completion = await client.chat.completions.create(chat);
    expect(completion.choices[0]?.message.content).toBeTruthy();
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...chat, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).not.toBe('');
    const task = await client.images.submit(image);
    expect(task.id).toBeTruthy();
    expect(charges(gateway)).toBe(3);
    expect(gateway.sessions[0]?.alpnProtocol).toBe('h2');
  });

  test('100 simultaneous calls succeed, and each is charged once', async () => {
    const { gateway, client } = await open({ concurrency: false });
    gateway.mock.setConcurrencyLimit(1_000);
    await Promise.all(Array.from({ length: 100 }, () => client.images.submit(image)));
    expect(charges(gateway)).toBe(100);
    expect(gateway.posts()).toBe(100);
  });

  const reset =
    (code: number): Http2Fault =>
    (stream) =>
      stream.close(code);

  test('a refused stream was not processed, so a chat is sent again', async () => {
    const { gateway, client } = await open();
    const refuse = reset(constants.NGHTTP2_REFUSED_STREAM);
    gateway.fail(refuse, refuse, refuse);
    await client.chat.completions.create(chat);
    expect(charges(gateway)).toBe(1);
    expect(gateway.posts()).toBe(4);
  });

  test('a stream that is always refused is not-sent', async () => {
    const { gateway, client } = await open({ maxRetries: 0 });
    const refuse = reset(constants.NGHTTP2_REFUSED_STREAM);
    gateway.fail(refuse, refuse);
    const { error } = await failure(client.chat.completions.create(chat));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' });
    expect(charges(gateway)).toBe(0);
  });

  test.each([
    'NO_ERROR',
    'PROTOCOL_ERROR',
    'INTERNAL_ERROR',
    'FLOW_CONTROL_ERROR',
    'STREAM_CLOSED',
    'CANCEL',
    'ENHANCE_YOUR_CALM',
    'HTTP_1_1_REQUIRED',
  ] as const)('a stream that is reset with %s may have been processed', async (code) => {
    const { gateway, client } = await open();
    gateway.fail(reset(constants[`NGHTTP2_${code}`]));
    const { error } = await failure(client.chat.completions.create(chat));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(gateway.posts()).toBe(1);
    // A submission has a key, and is sent again.
    gateway.fail(reset(constants[`NGHTTP2_${code}`]));
    await client.images.submit(image);
    expect(charges(gateway)).toBe(1);
  });

  test('a connection that the server closes while idle is replaced', async () => {
    const { gateway, client } = await open();
    await client.models.list();
    const [session] = gateway.sessions;
    session?.goaway(constants.NGHTTP2_NO_ERROR);
    session?.close();
    await eventually(() => expect(session?.closed).toBe(true));
    await client.images.submit(image);
    expect(charges(gateway)).toBe(1);
  });

  /** A GOAWAY whose last stream is the one before this. */
  const goAwayBefore =
    (code: number): Http2Fault =>
    (stream, session) =>
      session.goaway(code, Number(stream.id) - 2);

  test('a stream above the last one of a GOAWAY is charged once at most', async () => {
    const { gateway, client } = await open();
    await client.models.list();
    gateway.fail(goAwayBefore(constants.NGHTTP2_NO_ERROR));
    const result = client.chat.completions.create(chat);
    if (version === 7) {
      // Its error is the same for streams that may have been processed.
      const { error } = await failure(result);
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    } else {
      await result;
    }
    expect(charges(gateway)).toBe(version === 7 ? 0 : 1);
  });

  test('a stream that two connections refuse with GOAWAY is still sent again', async () => {
    const { gateway, client } = await open();
    await client.models.list();
    const refuse = goAwayBefore(constants.NGHTTP2_NO_ERROR);
    // Stream 1 of a new connection has none before it, so it is refused.
    const refuseFirst: Http2Fault = (stream, session) => {
      if (Number(stream.id) > 1) refuse(stream, session);
      else stream.close(constants.NGHTTP2_REFUSED_STREAM);
    };
    gateway.fail(refuse, refuseFirst);
    const { error } = await client.chat.completions.create(chat).then(
      () => ({ error: undefined }),
      (reason: unknown) => ({ error: reason }),
    );
    if (version === 7) expect(error).toMatchObject({ outcome: 'unknown' });
    else expect(error).toBeUndefined();
    expect(charges(gateway)).toBe(version === 7 ? 0 : 1);
  });

  test('a connection lost with calls in flight is unknown, and nothing is sent twice', async () => {
    const { gateway, client } = await open({ concurrency: false });
    await client.models.list();
    const all = new Set<unknown>();
    const lose: Http2Fault = (_, session) => {
      all.add(session);
      if (gateway.posts() === 20) for (const each of gateway.sessions) each.destroy();
    };
    gateway.fail(...Array.from({ length: 20 }, () => lose));
    const results = await Promise.all(
      Array.from({ length: 20 }, () => failure(client.chat.completions.create(chat))),
    );
    for (const { error } of results) {
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    }
    expect(gateway.posts()).toBe(20);
    await client.chat.completions.create(chat);
    expect(charges(gateway)).toBe(1);
  });

  test('a stream that is cut off is truncated', async () => {
    const { gateway, client } = await open();
    gateway.fail((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
      stream.write('data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",');
      stream.write('"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n');
      setImmediate(() => stream.destroy(new Error('lost')));
    });
    const { error } = await failure(
      (async () => {
        const stream = await client.chat.completions.create({ ...chat, stream: true });
        for await (const chunk of stream) expect(chunk.id).toBe('c');
      })(),
    );
    expect(error.name).toBe('StreamTruncatedError');
    expect(gateway.posts()).toBe(1);
  });

  test('an abort resets the stream, and other calls continue', async () => {
    const { gateway, client } = await open({ concurrency: false });
    await client.models.list();
    const controller = new AbortController();
    let code: number | undefined;
    gateway.fail((stream) => {
      stream.on('close', () => (code = stream.rstCode));
      controller.abort();
    });
    const [aborted] = await Promise.all([
      failure(client.chat.completions.create(chat, { signal: controller.signal })),
      client.models.list(),
    ]);
    expect(aborted.error.name).toBe('AbortedError');
    // Version 8 sends the reset only when the connection becomes idle.
    if (version === 7) await eventually(() => expect(code).toBeDefined());
    await client.chat.completions.create(chat);
    expect(charges(gateway)).toBe(1);
  });
});
