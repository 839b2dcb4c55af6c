import { unchecked } from '../../../wire/types/schema.ts';

/** A request as undici sends it. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal | undefined;
  readonly redirect: RequestRedirect;
}

/** Methods that need no check. The runtime checks and normalizes any other. */
const commonMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** Reads the arguments of `fetch`. Text and bytes, which the client sends, need no `Request`. */
export function readRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): OutgoingRequest | Promise<OutgoingRequest> {
  const { method = 'GET', body = null, headers = {} } = init;
  const isSimpleBody = body === null || typeof body === 'string' || body instanceof Uint8Array;
  const isSimple =
    !(input instanceof Request) &&
    isSimpleBody &&
    commonMethods.has(method) &&
    (body === null || (method !== 'GET' && method !== 'HEAD')) &&
    init.integrity === undefined;
  if (!isSimple) return readAsRequest(input, init);
  const url = new URL(input);
  const copied = copyHeaders(headers, url);
  if (url.username || url.password || copied === undefined) return readAsRequest(input, init);
  if (typeof body === 'string') copied['content-type'] ??= 'text/plain;charset=UTF-8';
  const { signal, redirect = 'follow' } = init;
  return { url, method, headers: copied, body, signal: signal ?? undefined, redirect };
}

/** Reads the arguments by means of a `Request`, which checks and converts them. */
async function readAsRequest(
  input: string | URL | Request,
  init: RequestInit,
): Promise<OutgoingRequest> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  // Its own signal follows that of the caller only for as long as it is not garbage collected.
  const signal = init.signal ?? (input instanceof Request ? input.signal : undefined);
  signal?.throwIfAborted();
  return {
    url,
    method: request.method,
    headers: readHeaders(request.headers, url),
    body: await readBody(request, init.body),
    signal,
    redirect: request.redirect,
  };
}

/** The body: a stream that the caller passed stays one. Everything else is sent with its length. */
async function readBody(
  request: Request,
  body: BodyInit | null | undefined,
): Promise<OutgoingRequest['body']> {
  if (request.body === null) return null;
  if (body instanceof ReadableStream) return unchecked<AsyncIterable<Uint8Array>>(request.body);
  return new Uint8Array(await request.arrayBuffer());
}

/** Copies headers, and adds those of `fetch`. Undefined for a form that only `Headers` reads. */
function copyHeaders(headers: HeadersInit, url: URL): Record<string, string> | undefined {
  if (headers instanceof Headers || Symbol.iterator in headers) {
    return readHeaders(new Headers(headers), url);
  }
  const copied: Record<string, string> = {};
  for (const name in headers) {
    if (name !== name.toLowerCase()) return undefined;
    copied[name] = headers[name] ?? '';
  }
  return withDefaults(copied, url);
}

/** All of `headers`, whose names are in lower case, and those of `fetch`. */
function readHeaders(headers: Headers, url: URL): Record<string, string> {
  return withDefaults(Object.fromEntries(headers), url);
}

/** Adds the headers of `fetch`. */
function withDefaults(copied: Record<string, string>, url: URL): Record<string, string> {
  copied['accept'] ??= '*/*';
  copied['user-agent'] ??= 'node';
  copied['accept-encoding'] ??=
    copied['range'] !== undefined
      ? 'identity'
      : url.protocol === 'https:'
        ? 'br, gzip, deflate'
        : 'gzip, deflate';
  return copied;
}

/**
 * Ports of other protocols, which a web page must not be able to reach: `fetch` rejects them, and so does everything that
 * takes its place. Fetch Standard, 2.9, "port blocking".
 */
const blockedPorts = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 ' +
    '137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 ' +
    '1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

/** Whether a URL names an HTTP server that may be connected to. */
export function isConnectable({ protocol, port }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && !blockedPorts.has(port);
}
