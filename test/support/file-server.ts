import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { onTestFinished } from 'vitest';

/** How a file server behaves. Every list has one entry per request; requests beyond it are served normally. */
export interface FileServerOptions {
  body?: Uint8Array;
  headers?: Readonly<Record<string, string>>;
  /** Positions in the file at which the server stops sending, until `onProgress` or `reset` resets the connection. */
  breakAt?: readonly number[];
  /** Handles requests in place of the server; returns false to have one served. */
  answer?: (request: IncomingMessage, response: ServerResponse, index: number) => boolean;
  ranges?: boolean;
  /** Whether the size of the file is sent. */
  sized?: boolean;
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
  sized = true,
}: FileServerOptions = {}) {
  const requests: { url: string; range?: string; ifRange?: string }[] = [];
  let stopped: { end: number; socket: Socket } | undefined;

  const server = createServer((request, response) => {
    const { range, 'if-range': ifRange } = request.headers;
    const index = requests.length;
    requests.push({
      url: request.url ?? '',
      ...(range !== undefined && { range }),
      ...(typeof ifRange === 'string' && { ifRange }),
    });
    if (answer?.(request, response, index) === true) return;
    const validator = headers['etag'] ?? headers['last-modified'];
    const isUnchanged = ifRange === undefined || ifRange === validator;
    const [, first] = ranges && isUnchanged ? (/^bytes=(\d+)-$/.exec(range ?? '') ?? []) : [];
    const start = Number(first ?? 0);
    const { byteLength } = body;
    response.writeHead(first === undefined ? 200 : 206, {
      'content-type': 'video/mp4',
      ...(sized && { 'content-length': byteLength - start }),
      ...(first !== undefined && {
        'content-range': `bytes ${start}-${byteLength - 1}/${byteLength}`,
      }),
      ...headers,
    });
    const end = breakAt[index];
    if (end === undefined) response.end(body.subarray(start));
    else {
      response.write(body.subarray(start, end));
      stopped = { end, socket: request.socket };
    }
  });

  /** Resets the connection on which the server has stopped sending. */
  const reset = () => {
    stopped?.socket.resetAndDestroy();
    stopped = undefined;
  };
  /** Resets that connection once the client has received everything: a reset discards unread bytes. */
  const onProgress = ({ bytes }: { bytes: number }) => {
    if (stopped !== undefined && bytes === stopped.end) reset();
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/film.mp4`, requests, reset, onProgress };
}

/** A running file server. */
export type FileServer = Awaited<ReturnType<typeof fileServer>>;
