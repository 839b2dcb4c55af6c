import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

import { nodeFetch } from 'polygate/node';
import type { NodeFetch, NodeFetchOptions } from 'polygate/node';
import { onTestFinished } from 'vitest';

/** A `fetch` that is closed after the test. */
export function openFetch(options?: NodeFetchOptions): NodeFetch {
  const fetch = nodeFetch(options);
  onTestFinished(() => fetch.close());
  return fetch;
}

/** A server that is closed after the test, and its connections. */
export interface TestServer {
  readonly url: string;
  /** All connections that were ever opened. */
  readonly sockets: readonly Socket[];
}

/** Starts an HTTP server, which never closes an idle connection. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  return start(createHttpServer({ keepAliveTimeout: 600_000 }, listener));
}

/** Starts a server that passes the text of each request, headers and body, to `respond`. */
export async function serveRaw(
  respond: (socket: Socket, request: string) => void,
): Promise<TestServer> {
  return start(
    createServer((socket) => {
      let received = '';
      socket.on('data', (data) => {
        received += data.toString('latin1');
        const end = received.indexOf('\r\n\r\n');
        const length = Number(/^content-length: (\d+)/im.exec(received)?.[1] ?? 0);
        if (end < 0 || received.length < end + 4 + length) return;
        const request = received;
        received = '';
        respond(socket, request);
      });
    }),
  );
}

async function start(server: Server): Promise<TestServer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sockets };
}

/** The error that a promise rejects with, and the innermost cause. */
export async function failure(promise: Promise<unknown>): Promise<{ error: any; cause: any }> {
  const error: any = await promise.then(
    (value) => Promise.reject(new Error(`resolved with ${String(value)}`)),
    (reason: unknown) => reason,
  );
  return { error, cause: error?.cause };
}
