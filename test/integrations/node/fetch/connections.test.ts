import type { NodeFetchDispatcher } from 'polygate/node';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';

import { eventually } from '../../../support/eventually.ts';
import { failure, openFetch, serve, serveRaw } from './support.ts';

test('connections are kept alive, and there are no more of them than allowed', async () => {
  const { url, sockets } = await serve((_, response) => response.end('ok'));
  const fetch = openFetch({ connections: 3 });
  const get = async () => (await fetch(url)).text();
  for (let count = 0; count < 20; count += 1) await get();
  // A connection is available again a moment after its response has been received.
  expect(sockets.length).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 20 }, get));
  expect(sockets).toHaveLength(3);
});

test('a connection that the server closes while it is idle is replaced', async () => {
  const { url, sockets } = await serve((_, response) => response.end('ok'));
  const fetch = openFetch();
  await (await fetch(url)).text();
  sockets[0]?.destroy();
  await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  // The close may not have been noticed yet. GET is then sent again by the client, not by `fetch`.
  await fetch(url).catch(() => undefined);
  expect(await (await fetch(url)).text()).toBe('ok');
});

describe('a connection that is lost', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

  test.each(['', 'HTTP/1.1', 'HTTP/1.1 200 OK\r\nContent-', `${head}Content-Length: 5\r\n`])(
    'before the end of the headers (%j) fails the request, which is sent once',
    async (sent) => {
      let requests = 0;
      const { url } = await serveRaw((socket) => {
        requests += 1;
        socket.end(sent);
      });
      const { error, cause } = await failure(openFetch()(url, { method: 'POST', body: 'x' }));
      expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
      expect(cause.code).toMatch(/^UND_ERR_SOCKET$|^HPE_/);
      expect(requests).toBe(1);
    },
  );

  test.each([
    ['with a length', 'Content-Length: 9\r\n\r\nabc'],
    ['without data', 'Content-Length: 9\r\n\r\n'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['in a chunk', 'Transfer-Encoding: chunked\r\n\r\n9\r\nabc'],
  ])('in a body %s fails the reader', async (_, rest) => {
    const { url } = await serveRaw((socket) => socket.end(head + rest));
    const response = await openFetch()(url);
    expect(response.status).toBe(200);
    const { error } = await failure(response.text());
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated' });
  });

  test('after the body of a response that no one reads is not an unhandled rejection', async () => {
    const { url, sockets } = await serveRaw((socket) => {
      socket.write(`${head}Content-Length: 9\r\n\r\nabc`);
    });
    const response = await openFetch()(url);
    sockets[0]?.resetAndDestroy();
    // A rejection that is not handled fails the test run.
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
    expect((await failure(response.text())).error.message).toBe('terminated');
  });

  test('by a body that ends with its connection is no loss', async () => {
    const { url } = await serveRaw((socket) => socket.end(`${head}\r\nabc`));
    expect(await (await openFetch()(url)).text()).toBe('abc');
  });
});

describe('an abort', () => {
  const reason = new Error('no longer needed');

  test('before the request sends nothing', async () => {
    const { url, sockets } = await serve((_, response) => response.end());
    const fetch = openFetch();
    const { error } = await failure(fetch(url, { signal: AbortSignal.abort(reason) }));
    expect(error).toBe(reason);
    const request = new Request(url, { signal: AbortSignal.abort(reason) });
    expect((await failure(fetch(request))).error).toBe(reason);
    expect(sockets).toHaveLength(0);
  });

  test('while connecting sends nothing', async () => {
    let requests = 0;
    const { url } = await serve((_, response) => {
      requests += 1;
      response.end();
    });
    const fetch = openFetch({ connections: 1 });
    const controller = new AbortController();
    const aborted = failure(fetch(url, { signal: controller.signal }));
    controller.abort(reason);
    expect((await aborted).error).toBe(reason);
    await (await fetch(url)).text();
    expect(requests).toBe(1);
  });

  test('before the response closes the connection', async () => {
    const { url, sockets } = await serveRaw(() => controller.abort(reason));
    const controller = new AbortController();
    const { error } = await failure(openFetch()(url, { signal: controller.signal }));
    expect(error).toBe(reason);
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  });

  test('in the body fails the reader and closes the connection', async () => {
    const { url, sockets } = await serve((_, response) => void response.write('abc'));
    const controller = new AbortController();
    const response = await openFetch()(url, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const reading = failure(Promise.resolve(reader?.read()));
    controller.abort(reason);
    expect((await reading).error).toBe(reason);
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  });

  test('after the response was received fails a reader that has not begun', async () => {
    const { url } = await serve((_, response) => response.end('abc'));
    const controller = new AbortController();
    const response = await openFetch()(url, { signal: controller.signal });
    controller.abort(reason);
    expect((await failure(response.text())).error).toBe(reason);
  });

  test('leaves no listener on the signal once the response has been received', async () => {
    const { url } = await serve((_, response) => response.end('abc'));
    const { signal } = new AbortController();
    let listeners = 0;
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
    await (await openFetch()(url, { signal })).text();
    expect(listeners).toBe(0);
  });
});

test('canceling the body closes the connection', async () => {
  const { url, sockets } = await serve((_, response) => void response.write('abc'));
  const response = await openFetch()(url);
  await response.body?.cancel();
  await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
});

test('a server that is not there fails the request with the code of the system', async () => {
  const { error, cause } = await failure(openFetch()('http://127.0.0.1:1024'));
  expect([error.message, cause.code]).toEqual(['fetch failed', 'ECONNREFUSED']);
});

describe('close()', () => {
  test('waits for requests in flight, and closes idle connections', async () => {
    const { url, sockets } = await serve((_, response) => {
      setImmediate(() => response.end('ok'));
    });
    const fetch = openFetch();
    const response = fetch(url);
    const closed = fetch.close();
    expect(await (await response).text()).toBe('ok');
    await closed;
    await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true));
    const { error, cause } = await failure(fetch(url));
    expect([error.message, cause.code]).toEqual(['fetch failed', 'UND_ERR_CLOSED']);
    await fetch.close();
  });

  test('is called by `await using`', async () => {
    const { url, sockets } = await serve((_, response) => response.end('ok'));
    {
      await using fetch = openFetch();
      await (await fetch(url)).text();
      expect(sockets[0]?.destroyed).toBe(false);
    }
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  });
});

describe('a dispatcher of an unknown version that sends a request a second time', () => {
  /** Sends each request on one connection and, as if that was lost, on another one. */
  function sendTwice() {
    const sent: string[] = [];
    const dispatch = (
      { method }: { method: string },
      handler: Required<Pick<Dispatcher.DispatchHandler, 'onRequestStart' | 'onResponseError'>>,
    ) => {
      for (const connection of ['first', 'second']) {
        let reason: Error | undefined;
        const controller = { abort: (given: Error) => (reason = given) };
        const started = controller as unknown as Dispatcher.DispatchController;
        handler.onRequestStart(started, {});
        if (reason) {
          handler.onResponseError(started, reason);
          break;
        }
        sent.push(`${method} ${connection}`);
      }
      handler.onResponseError(
        { abort: () => undefined } as unknown as Dispatcher.DispatchController,
        new Error('lost'),
      );
      return true;
    };
    const dispatcher: NodeFetchDispatcher = { dispatch };
    return { sent, dispatcher };
  }

  test.each([
    ['POST', ['POST first'], /may have been received/],
    ['GET', ['GET first', 'GET second'], /lost/],
  ])('%s is sent as %j', async (method, expected, message) => {
    const { sent, dispatcher } = sendTwice();
    const { cause } = await failure(openFetch({ dispatcher })('http://127.0.0.1:1234', { method }));
    expect(sent).toEqual(expected);
    expect(cause.message).toMatch(message);
  });
});
