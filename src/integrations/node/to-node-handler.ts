import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { unchecked } from '../../wire/types/schema.ts';

/** A handler of the Web platform, such as the one of `createProxyHandler`. */
export type WebHandler = (request: Request) => Response | Promise<Response>;

/** A body that was read before the handler, and whose bytes are not known. Express responds with its status. */
class ParsedBodyError extends Error {
  readonly status = 415;
  readonly code = 'body_already_parsed';

  constructor() {
    super(
      'The body was parsed before toNodeHandler, and its bytes are not known. Mount toNodeHandler before body parsers. On Vercel, set the environment variable NODEJS_HELPERS=0; in pages/api of Next.js, export const config = { api: { bodyParser: false } }. If the parser has to stay, let it keep the bytes: express.json({ verify: (req, res, bytes) => { req.rawBody = bytes; } }). Nothing was forwarded.',
    );
  }
}

/**
 * A listener for `node:http`, Express, Connect and Fastify's middleware. It receives their request
 * and response. They are typed as objects, so that programs without the types of Node.js compile.
 */
export type NodeHandler = (
  incoming: object,
  outgoing: object,
  next?: (error?: unknown) => void,
) => Promise<void>;

/**
 * Adapts a handler from `Request` to `Response`, such as that of `createProxyHandler`, to `node:http` and Express. If
 * the client disconnects, `request.signal` aborts. A client that reads slowly slows the response down.
 *
 * Mount it before body parsers. If the body was parsed before, as on Firebase and Vercel, the handler gets `rawBody`, or the
 * parsed body if nothing was lost, or else the request ends with a 415 that says what to set. Do not change `req.body`.
 *
 * The promise never rejects: if the handler rejects, the error is passed to `next` or, in `node:http`, becomes a 500
 * without details. A request with an invalid URL closes its connection.
 *
 * @example
 * ```ts
 * app.use('/api/gateway', toNodeHandler(createProxyHandler(options))); // Express
 * createServer(toNodeHandler(createProxyHandler(options))); // node:http
 * ```
 */
export function toNodeHandler(handler: WebHandler): NodeHandler {
  return async function nodeHandler(request, response, next) {
    const incoming = unchecked<IncomingMessage>(request);
    const outgoing = unchecked<ServerResponse>(response);
    const disconnected = new AbortController();
    let received: Request | undefined;
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) disconnected.abort(new Error('The client has disconnected'));
      // Kept until now: the signal of a request that was collected as garbage never aborts.
      received = undefined;
    });
    try {
      received = toRequest(incoming, disconnected.signal);
      if (received === undefined) return void outgoing.destroy();
      const result = await handler(received);
      if (outgoing.destroyed) return void result.body?.cancel().catch(() => {});
      outgoing.writeHead(result.status, headersOf(result));
      if (result.body === null || incoming.method === 'HEAD') {
        result.body?.cancel().catch(() => {});
        outgoing.end();
        return;
      }
      outgoing.flushHeaders();
      // The stream of Node differs only in its types. Unlike an iterator, it cancels the body although a read is pending.
      const body = unchecked<Parameters<typeof Readable.fromWeb>[0]>(result.body);
      await pipeline(Readable.fromWeb(body), outgoing);
    } catch (error) {
      // The client has disconnected, or its response can no longer be completed.
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
      else if (next !== undefined) next(error);
      else if (error instanceof ParsedBodyError) respondWith(error, outgoing);
      else outgoing.writeHead(500).end();
    }
  };
}

/** Responds as the gateway would, so that a client knows that nothing was charged. */
function respondWith({ status, code, message }: ParsedBodyError, outgoing: ServerResponse): void {
  const type = 'invalid_request_error';
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ error: { message, type, code } }));
}

/** Returns undefined if the URL or the host is invalid. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', headers: received, socket } = incoming;
  // Express removes the mount path from `url`.
  const target = String('originalUrl' in incoming ? incoming.originalUrl : incoming.url);
  const protocol = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  // Concatenated, not resolved: `//evil.example` is a path.
  const [, authority, rest = ''] = /^https?:\/\/([^/?#@]+)([/?#][^]*)?$/i.exec(target) ?? [];
  const path = authority === undefined ? target : rest.replace(/^(?!\/)/, '/');
  // The host of a target in absolute form replaces the header.
  const host = authority ?? received.host ?? String(received[':authority'] ?? 'localhost');
  const url = `${protocol}://${host}${path}`;
  if (!path.startsWith('/') || !URL.canParse(url)) return undefined;
  const headers = new Headers();
  // Requests of `node:http2` have it, but not `headersDistinct`.
  const { rawHeaders } = incoming;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!name.startsWith(':')) headers.append(name, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isRead = incoming.readableEnded || incoming.readableDidRead;
  const body = hasBody ? (isRead ? restoreBody(incoming) : bodyOf(incoming)) : null;
  // The types of the platform lack `duplex`.
  return new Request(
    url,
    unchecked<RequestInit>({ method, headers, body, duplex: 'half', signal }),
  );
}

/**
 * The body of a request, which is read only when the handler reads it: Node then discards what remains after the
 * response, so that the connection can be reused. `Readable.toWeb` starts reading immediately, which would block the
 * next request behind an unread body, and closes the connection when it is canceled.
 */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = incoming.iterator({
    destroyOnReturn: false,
  });
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await chunks.return?.();
        incoming.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Restores a body that was read before the handler: `rawBody`, as Firebase sets it, or else the parsed `body` if nothing
 * was lost. A length other than that of the request shows repeated names, other notations and invalid characters; large
 * numbers and -0 show themselves. A text that was made to pass nevertheless has the same value for every parser that
 * keeps the last of repeated names. Handlers only see the restored text, so a proxy checks and limits what it forwards.
 *
 * @throws {@link ParsedBodyError} if the bytes cannot be restored.
 */
function restoreBody(incoming: IncomingMessage): Uint8Array<ArrayBuffer> {
  const { headers, httpVersionMajor } = incoming;
  const length = headers['content-length'];
  const isFramed = httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined;
  if (length === '0' || (length === undefined && !isFramed)) return new Uint8Array();
  const { rawBody, body } = readParsed(incoming);
  // Parsers decompress.
  if (headers['content-encoding'] !== undefined) throw new ParsedBodyError();
  for (const value of [rawBody, body]) {
    if (!ArrayBuffer.isView(value)) continue;
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (length === undefined || bytes.length === Number(length)) return new Uint8Array(bytes);
  }
  for (const text of [rawBody, body, jsonOf(body, headers['content-type'])]) {
    if (typeof text !== 'string') continue;
    const bytes = new TextEncoder().encode(text);
    if (bytes.length === Number(length)) return bytes;
  }
  throw new ParsedBodyError();
}

/** On Vercel, reading `body` parses it, which can throw. */
function readParsed(incoming: IncomingMessage): { rawBody?: unknown; body?: unknown } {
  try {
    const { rawBody, body } = unchecked<{ rawBody?: unknown; body?: unknown }>(incoming);
    return { rawBody, body };
  } catch {
    return {};
  }
}

/** Serializes a parsed body; undefined if another text can have the same value. */
function jsonOf(body: unknown, type = ''): string | undefined {
  if (typeof body !== 'object' || !/^application\/json *(;|$)/i.test(type)) return undefined;
  let isExact = true;
  try {
    const text = JSON.stringify(body, (_, value: unknown) => {
      const isNumber = typeof value === 'number';
      if (isNumber && (Object.is(value, -0) || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))) {
        isExact = false;
      }
      return value;
    });
    return isExact ? text : undefined;
  } catch {
    // It is nested too deeply, or is no JSON.
    return undefined;
  }
}

function headersOf({ headers }: Response): Record<string, string | string[]> {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}
