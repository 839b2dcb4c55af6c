import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { streamHeaders, textEvent } from '../../support/event-stream.ts';
import { errorReply, hang, jsonReply, submitted, turns } from '../support.ts';
import { chatPath, post, scriptedClient } from './support.ts';

const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] };

describe('init.signal', () => {
  /** Sends a chat with a signal, in either place. */
  const abortable = (gateway: Polygate, where: string, signal: AbortSignal) => {
    const init = { ...post(chat), signal };
    return where === 'init'
      ? gateway.fetch(chatPath, init)
      : gateway.fetch(new Request(gateway.baseURL + chatPath, init));
  };

  test.each(['init', 'a Request'])('of %s aborts before anything is sent', async (where) => {
    const { gateway, sent, fail } = scriptedClient([submitted]);
    const reason = new Error('enough');
    const error = await fail(abortable(gateway, where, AbortSignal.abort(reason)));
    expect(error).toBe(reason);
    expect(sent).toEqual([]);
  });

  const reasons: readonly [string, unknown, string][] = [
    ['AbortError of abort()', AbortSignal.abort().reason, 'AbortError'],
    ['TimeoutError of the runtime', new DOMException('late', 'TimeoutError'), 'TimeoutError'],
    [
      'TimeoutError of another frame',
      { name: 'TimeoutError', [Symbol.toStringTag]: 'DOMException' },
      'TimeoutError',
    ],
    ['text', 'enough', 'AbortError'],
    ['number', 408, 'AbortError'],
    ['plain object', { name: 'TimeoutError' }, 'AbortError'],
  ];

  test.each(reasons)(
    'whose reason is the %s rejects with the name of it, or AbortError',
    async (_, reason, name) => {
      const { gateway, fail } = scriptedClient([hang]);
      const stop = new AbortController();
      const error = fail(gateway.fetch(chatPath, { ...post(chat), signal: stop.signal }));
      await turns();
      stop.abort(reason);
      const rejected = await error;
      expect(AbortedError.is(rejected)).toBe(true);
      expect(rejected).toMatchObject({
        name,
        outcome: 'unknown',
        docs: '/guides/errors.html#abortederror',
      });
      expect(rejected.cause).toBe(reason);
      expect(String(rejected.stack)).toMatch(new RegExp(`^${name}: Aborted by the caller`));
    },
  );

  test.each(reasons)(
    'whose reason is the %s ends a streamed body with the name of it, or AbortError',
    async (_, reason, name) => {
      const stalled = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(textEvent('Half'))),
        pull: () => new Promise<void>(() => undefined),
      });
      const { gateway, fail } = scriptedClient([
        () => new Response(stalled, { headers: streamHeaders }),
      ]);
      const stop = new AbortController();
      const init = { ...post({ ...chat, stream: true }), signal: stop.signal };
      const text = fail((await gateway.fetch(chatPath, init)).text());
      await turns();
      stop.abort(reason);
      const rejected = await text;
      expect(AbortedError.is(rejected)).toBe(true);
      expect(rejected).toMatchObject({ name, outcome: 'unknown' });
      expect(rejected.cause).toBe(reason);
    },
  );

  class TimeoutError extends Error {
    override readonly name = 'TimeoutError';
  }

  test.each([
    ['an error', new Error('enough')],
    ['an error of a class of their own', new TimeoutError('late')],
    ['an error of the client', new AbortedError('stopped')],
  ])('with %s as its reason rejects with that', async (_, reason) => {
    const { gateway, fail } = scriptedClient([hang]);
    const stop = new AbortController();
    const error = fail(gateway.fetch(chatPath, { ...post(chat), signal: stop.signal }));
    await turns();
    stop.abort(reason);
    expect(await error).toBe(reason);
  });

  test.each(['init', 'a Request'])('of %s ends a body that is being read', async (where) => {
    const stalled = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
      pull: () => new Promise<void>(() => undefined),
    });
    const { gateway, fail } = scriptedClient([
      () => new Response(stalled, { headers: { 'content-type': 'application/json' } }),
    ]);
    const stop = new AbortController();
    const error = fail(abortable(gateway, where, stop.signal));
    await turns();
    stop.abort(new DOMException('late', 'TimeoutError'));
    const rejected = await error;
    expect(AbortedError.is(rejected)).toBe(true);
    expect(rejected).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  });

  test.each(['init', 'a Request'])('of %s aborts while no response has arrived', async (where) => {
    const { gateway, sent, fail } = scriptedClient([hang]);
    const stop = new AbortController();
    const error = fail(abortable(gateway, where, stop.signal));
    await turns();
    stop.abort('enough');
    expect(await error).toMatchObject({
      name: 'AbortError',
      outcome: 'unknown',
      cause: 'enough',
    });
    expect(sent).toMatchObject([{ signal: { aborted: true } }]);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('aborts a wait between two attempts', async () => {
    const { gateway, sent, fail } = scriptedClient([errorReply(503)]);
    const stop = new AbortController();
    const error = fail(gateway.fetch('/v1/models', { signal: stop.signal }));
    stop.abort();
    expect(await error).toMatchObject({ name: 'AbortError' });
    expect(sent.length).toBeLessThan(4);
  });

  test('null in init removes that of a Request', async () => {
    const { gateway } = scriptedClient([jsonReply(200, {})]);
    const request = new Request('https://gateway.example/v1/models', {
      signal: AbortSignal.abort(),
    });
    expect((await gateway.fetch(request, { signal: null })).status).toBe(200);
  });

  test('aborts the body of an unknown route', async () => {
    const body = new ReadableStream({ pull: () => new Promise<void>(() => undefined) });
    const { gateway, fail } = scriptedClient([() => new Response(body)]);
    const stop = new AbortController();
    const response = await gateway.fetch('/v1/files/1/content', { signal: stop.signal });
    const text = fail(response.text());
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await text).toBe(reason);
  });
});
