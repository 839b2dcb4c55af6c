import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { toNodeHandler } from 'polygate/node';
import { createProxyHandler } from 'polygate/proxy';

/** A way from a client to a reference gateway with virtual time. */
export interface Way {
  readonly mock: MockGateway;
  /** The options of the client that lead there. */
  readonly options: PolygateOptions;
  readonly close: () => Promise<unknown>;
}

const createMock = () =>
  createMockGateway({ clock: 'virtual', latencyMs: 300, chunkDelayMs: 10_000 });

/** Serves requests on a port. */
export async function serve(listener: (...exchange: Parameters<RequestListener>) => unknown) {
  const server = createServer((...exchange) => void listener(...exchange));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** Serves a handler that takes real time before each request, as one that reads a database does. */
async function serveWithDelay(mock: MockGateway, handle: (request: Request) => Promise<Response>) {
  const server = await serve(
    toNodeHandler(async (request) => {
      await sleep(Math.random() * 20);
      return handle(request);
    }),
  );
  return { ...server, options: { baseURL: server.url, apiKey: mock.apiKey } };
}

/** Where a client's requests take real time. */
export const ways: Readonly<Record<string, () => Promise<Way>>> = {
  async 'a server in front of the gateway'() {
    const mock = createMock();
    const gateway = await listen(mock);
    const { options, close } = await serveWithDelay(mock, async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === 'POST' ? await request.text() : null;
      return fetch(gateway.baseURL + pathname + search, { method, headers, body });
    });
    return { mock, options, close: () => Promise.all([close(), gateway.close()]) };
  },
  async 'a proxy on a socket'() {
    const mock = createMock();
    const { apiKey } = mock;
    const gateway = await listen(mock);
    const handler = createProxyHandler({
      apiKey,
      baseURL: gateway.baseURL,
      authorize: () => 'ann',
    });
    const { options, close } = await serveWithDelay(mock, handler);
    return {
      mock,
      options: { ...options, apiKey: null },
      close: () => Promise.all([close(), gateway.close()]),
    };
  },
  async 'a proxy in this process'() {
    const mock = createMock();
    const { apiKey, baseURL } = mock;
    const handler = createProxyHandler({
      apiKey,
      baseURL,
      fetch: mock.fetch,
      authorize: () => 'ann',
    });
    const options: PolygateOptions = {
      baseURL: 'http://localhost',
      apiKey: null,
      fetch: async (input, init) => {
        await sleep(Math.random() * 20);
        return handler(new Request(input, init));
      },
    };
    return { mock, options, close: () => Promise.resolve() };
  },
};

/** Generates an image and streams a chat at the same time. Returns how many ms of virtual time each took. */
export async function work(mock: MockGateway, options: PolygateOptions): Promise<number[]> {
  const { clock } = mock;
  const gateway = new Polygate({ ...options, clock, random: () => 0.5, logLevel: 'off' });
  const start = clock.now();
  const image = gateway.images
    .generate({ model: 'prism-image', prompt: 'A harbor' })
    .then(() => clock.now() - start);
  const chat = (async () => {
    const stream = gateway.chat.completions.stream({
      model: 'aurora-chat',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const times: number[] = [];
    for await (const _ of stream) times.push(clock.now() - start);
    return times;
  })();
  const [imageTime, chatTimes] = await clock.settle(Promise.all([image, chat]));
  return [imageTime, ...chatTimes];
}

/** What `work` takes without a server in between. */
export function directTimes(): Promise<number[]> {
  const mock = createMock();
  const { apiKey, baseURL, fetch } = mock;
  return work(mock, { apiKey, baseURL, fetch });
}
