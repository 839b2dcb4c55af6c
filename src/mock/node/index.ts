import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import type { MockGateway } from '../gateway.ts';
import { rawErrorResponse, protocolError } from './protocol-error.ts';
import type { ProtocolError } from './protocol-error.ts';

/** Options of {@link listen}. */
export interface ListenOptions {
  /** @defaultValue any free port */
  port?: number | undefined;
  /** @defaultValue '127.0.0.1' */
  host?: string | undefined;
  /** Lets pages of any origin call the gateway. @defaultValue false */
  cors?: boolean | undefined;
}

/** A gateway on a socket. */
export interface Listening {
  /** Its origin, such as `http://127.0.0.1:8787`. */
  readonly baseURL: string;
  readonly port: number;
  /** Stops listening and ends open requests. */
  close(): Promise<void>;
}

/**
 * Puts a gateway on a real socket. Links in its answers begin with the address that the caller
 * used.
 *
 * @throws the system's error, such as `EADDRINUSE`, when the port cannot be had
 */
export async function listen(mock: MockGateway, options: ListenOptions = {}): Promise<Listening> {
  const { port = 0, host = '127.0.0.1', cors = false } = options;
  let baseURL = '';
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (cors && allowPages(request, response)) return;
    void answer(mock, baseURL, request, response);
  };
  const server = createServer({ requestTimeout: 0, requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) => {
    socket.end(rawErrorResponse({ status: 405, message: 'This service is no proxy' }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(rawErrorResponse(protocolError(error.code)));
    else socket.destroy();
  });
  await started(server, port, host);
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  baseURL = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  return {
    baseURL,
    port: actual,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/**
 * Adds what browsers ask for before they let a page read answers. Whether the request was only that
 * question.
 */
function allowPages(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', '*');
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  const wanted = request.headers['access-control-request-headers'];
  response.setHeader('access-control-allow-headers', wanted ?? '*');
  response.setHeader('access-control-max-age', '600');
  response.writeHead(204).end();
  return true;
}

function started(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function answer(
  mock: MockGateway,
  baseURL: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) left.abort(new Error('The client left'));
  });
  const request = toRequest(incoming, baseURL);
  if (!(request instanceof Request)) {
    incoming.socket.end(rawErrorResponse(request));
    return;
  }
  let response: Response;
  try {
    response = await mock.fetch(request, { signal: left.signal });
  } catch {
    // The gateway dropped the connection, as a fault told it to.
    incoming.socket.resetAndDestroy();
    return;
  }
  // Bodies that nobody reads would be lost with the connection kept open.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, [...response.headers].flat());
  await pump(response.body, outgoing);
}

/**
 * Writes a body out as it comes. When it breaks off, so does the connection, after what came
 * before.
 */
async function pump(
  body: ReadableStream<Uint8Array> | null,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.flushHeaders();
  const reader = body?.getReader();
  try {
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      await written(outgoing, piece.value);
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

/** Resolves once the bytes have left for the network. */
function written(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** A `Request` from what arrived on a socket, or why there can be none. */
function toRequest(incoming: IncomingMessage, baseURL: string): Request | ProtocolError {
  const url = urlOf(incoming, baseURL);
  if (url === undefined) return protocolError('HPE_INVALID_URL');
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  const { method = 'GET' } = incoming;
  try {
    return new Request(url, { method, headers, ...bodyOf(incoming, method) });
  } catch {
    return { status: 405, message: `No path of this service takes ${method}` };
  }
}

/** The address as the caller wrote it, so that links in the answer work for that caller. */
function urlOf(incoming: IncomingMessage, baseURL: string): string | undefined {
  const { url: target = '/' } = incoming;
  if (!target.startsWith('/')) return URL.canParse(target) ? target : undefined;
  const { host } = incoming.headers;
  const origin = host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : baseURL;
  return [origin, baseURL].map((base) => base + target).find((url) => URL.canParse(url));
}

function bodyOf(incoming: IncomingMessage, method: string): RequestInit & { duplex?: 'half' } {
  if (method === 'GET' || method === 'HEAD') return {};
  let wanted = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (piece: Buffer) => {
        if (wanted) controller.enqueue(piece);
      });
      incoming.on('end', () => {
        if (wanted) controller.close();
      });
      incoming.on('error', (error) => {
        controller.error(error);
      });
    },
    cancel() {
      wanted = false;
    },
  });
  return { body, duplex: 'half' };
}
