import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { caught, chat, completion, drain, image } from '../support.ts';

/** An `AbortSignal` as jsdom has it: a class of its own, which Node's `fetch` does not accept. */
class DomSignal extends EventTarget {
  aborted = false;
  reason: unknown;

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

class DomController {
  readonly signal = new DomSignal();

  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    this.signal.aborted = true;
    this.signal.reason = reason;
    this.signal.dispatchEvent(new Event('abort'));
  }
}

const nodeController = AbortController;
let baseURL = '';
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(completion));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  baseURL = `http://127.0.0.1:${port}`;
  vi.stubGlobal('AbortController', DomController);
});

beforeEach(() => {
  requests = 0;
});

afterAll(() => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});

const client = (options = {}) =>
  new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off', random: () => 0, ...options });

// ky creates a request before it calls `fetch`, and words the error itself: see the test with hooks.
const isKy = inject('transport') === 'ky';

describe("where AbortSignal is that of jsdom, which Node's fetch refuses", () => {
  test.skipIf(isKy).each<[string, (gateway: Polygate) => Promise<unknown>]>([
    ['a chat', (gateway) => gateway.chat.completions.create(chat)],
    ['a stream', (gateway) => drain(gateway.chat.completions.stream(chat))],
    ['a task', (gateway) => gateway.images.submit(image)],
    ['gateway.fetch', (gateway) => gateway.fetch('/v1/models')],
    ['a download', (gateway) => gateway.download(`${baseURL}/a.png`)],
  ])('%s says that nothing was sent, and what to do', async (_, send) => {
    const error = await caught(send(client({ allowInsecureBaseURL: true })));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not-sent' });
    expect(error.message).toContain(
      'fetch does not accept the AbortSignal of this environment, such as jsdom. Nothing was sent.',
    );
    expect(error.message).toContain('or pass a fetch that accepts it');
    expect(requests).toBe(0);
  });

  test('a request with hooks is not sent either', async () => {
    const gateway = client({ hooks: { beforeRequest: [() => undefined] }, maxRetries: 0 });
    const error = await caught(gateway.chat.completions.create(chat));
    expect(error).toMatchObject({ outcome: 'not-sent' });
    expect(error.message).toContain('Nothing was');
    expect(requests).toBe(0);
  });

  test.skipIf(isKy)(
    'a fetch that has sent the request with no signal leaves the outcome open',
    async () => {
      const gateway = client({
        fetch: async (url: string, init: RequestInit) => {
          await fetch(url, { ...init, signal: null });
          return fetch(url, init);
        },
      });
      for (const send of [
        () => gateway.chat.completions.create(chat),
        () => gateway.images.submit(image),
      ]) {
        requests = 0;
        const error = await caught(send());
        expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'unknown' });
        expect(error.message).toContain(
          'fetch does not accept the AbortSignal of this environment',
        );
        expect(error.message).toContain('may have been charged');
        expect(error.message).not.toContain('Nothing was sent');
        expect(requests).toBe(1);
      }
    },
  );

  test.skipIf(isKy)('a fetch that accepts such a signal sends', async () => {
    const gateway = client({
      fetch: (url: string, init: RequestInit) => fetch(url, { ...init, signal: null }),
    });
    await gateway.chat.completions.create(chat);
    expect(requests).toBe(1);
  });
});

test('a fetch that fails with another signal after it has sent the request leaves the outcome open', async () => {
  vi.stubGlobal('AbortController', nodeController);
  const gateway = client({
    fetch: async (url: string, init: RequestInit) => {
      await fetch(url, init);
      return Reflect.apply(fetch, undefined, [`${baseURL}/log`, { signal: new DomSignal() }]);
    },
  });
  const error = await caught(gateway.chat.completions.create(chat));
  expect(error.message).toContain('AbortSignal');
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
  expect(error.message).toContain('The request may have been charged');
  expect(requests).toBe(1);
});
