import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

/** How a file server behaves. Every list has one entry per request; requests beyond it are served normally. */
export interface FileServerOptions {
  body?: Uint8Array;
  headers?: Readonly<Record<string, string>>;
  /** Number of bytes after which the connection is reset. */
  breakAt?: readonly (number | undefined)[];
  /** Handles requests in place of the server; returns false to have one served. */
  answer?: (request: IncomingMessage, response: ServerResponse, index: number) => boolean;
  ranges?: boolean;
}

/** The default file: a hundred thousand bytes, none of which are where a shifted copy would have them. */
export const fileBytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7919) >> 8);

/** Serves a file over a real socket, with ranges, and records the requests. Closed when the test has finished. */
export async function fileServer({
  body = fileBytes,
  headers = {},
  breakAt = [],
  answer,
  ranges = true,
}: FileServerOptions = {}) {
  const requests: { url: string; range?: string; ifRange?: string }[] = [];
  const server = createServer((request, response) => {
    const { range, 'if-range': ifRange } = request.headers;
    const index = requests.length;
    requests.push({
      url: request.url ?? '',
      ...(range !== undefined && { range }),
      ...(typeof ifRange === 'string' && { ifRange }),
    });
    if (answer?.(request, response, index) === true) return;
    const unchanged = ifRange === undefined || ifRange === headers['etag'];
    const [, first] = ranges && unchanged ? (/^bytes=(\d+)-$/.exec(range ?? '') ?? []) : [];
    const start = Number(first ?? 0);
    const part = body.subarray(start);
    response.writeHead(first === undefined ? 200 : 206, {
      'content-type': 'video/mp4',
      'content-length': part.byteLength,
      ...(first !== undefined && {
        'content-range': `bytes ${start}-${body.byteLength - 1}/${body.byteLength}`,
      }),
      ...headers,
    });
    const end = breakAt[index];
    if (end === undefined) response.end(part);
    else {
      // The reset must not overtake the bytes before it.
      response.write(body.subarray(start, end));
      setTimeout(() => request.socket.resetAndDestroy(), 50);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/film.mp4`, requests };
}
