import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import type { MockGateway, MockRequest } from '../gateway.ts';
import { errorBody, errorCode } from '../http/errors.ts';
import { checkNames } from '../option-names.ts';
import type { OptionNames } from '../option-names.ts';

export { recordings } from './recordings/index.ts';
export type { RecordedRequest, RecordingOptions, Tape } from './recordings/index.ts';

/** Options of {@link listen}. */
export interface ListenOptions {
  /** The port to listen on. @defaultValue any free port */
  port?: number | undefined;
  /** The host name or IP address to listen on. @defaultValue '127.0.0.1' */
  host?: string | undefined;
  /** Whether web pages of any origin may call the gateway. @defaultValue false */
  cors?: boolean | undefined;
  /**
   * Whether `GET /__mock/invoice` and `GET /__mock/requests` return what `mock.invoice` and `mock.requests` contain, for
   * tests in another process. They need no API key, and replace keys in headers with `[redacted]`.
   *
   * @defaultValue false
   */
  records?: boolean | undefined;
}

const listenNames: OptionNames<ListenOptions> = {
  port: true,
  host: true,
  cors: true,
  records: true,
};

/** A gateway that listens on a socket. */
export interface MockServer {
  /** The origin, such as `http://127.0.0.1:8787`. */
  readonly baseURL: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

/**
 * Serves a gateway on a socket. Links in responses start with the host that the caller used.
 *
 * @throws `ConfigurationError` if an option is unknown.
 * @throws the system error, such as `EADDRINUSE`, if the port is not available
 */
export async function listen(mock: MockGateway, options: ListenOptions = {}): Promise<MockServer> {
  checkNames(options, listenNames);
  const { port = 0, host = '127.0.0.1', cors = false, records = false } = options;
  let baseURL = '';
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (cors && handleCors(request, response)) return;
    if (records && handleRecords(mock, request, response)) return;
    void respond(mock, baseURL, request, response);
  };
  const server = createServer({ requestTimeout: 0, requireHostHeader: false }, serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) => {
    const message = 'CONNECT is not supported: this service is not a proxy';
    socket.end(rawErrorResponse({ status: 405, message }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(rawErrorResponse(protocolError(error.code)));
    else socket.destroy();
  });
  await start(server, port, host);
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  baseURL = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`;
  return {
    baseURL,
    port: actualPort,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Sets the CORS headers and responds to preflight requests. Returns whether it has responded. */
function handleCors(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', '*');
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  const requestedHeaders = request.headers['access-control-request-headers'];
  response.setHeader('access-control-allow-headers', requestedHeaders ?? '*');
  response.setHeader('access-control-max-age', '600');
  response.writeHead(204).end();
  return true;
}

function start(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function respond(
  mock: MockGateway,
  baseURL: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const disconnected = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) disconnected.abort(new Error('The client disconnected'));
  });
  const request = toRequest(incoming, baseURL);
  if (!(request instanceof Request)) {
    incoming.socket.end(rawErrorResponse(request));
    return;
  }
  let response: Response;
  try {
    response = await mock.fetch(request, { signal: disconnected.signal });
  } catch {
    // Usually an injected fault.
    incoming.socket.resetAndDestroy();
    return;
  }
  // An unread body would block the next request on a keep-alive connection.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, [...response.headers].flat());
  await sendBody(response.body, outgoing);
}

/** Sends a body chunk by chunk. If the body fails, drops the connection after the chunks already sent. */
async function sendBody(
  body: ReadableStream<Uint8Array> | null,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.flushHeaders();
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) break;
      await write(outgoing, chunk.value);
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

/** Resolves when the bytes have been handed to the operating system. */
function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Names of headers that can contain an API key or another secret, whether the gateway reads them or not. */
const secretHeader = /authorization|cookie|api-?key|token|secret/;

/**
 * Responds to `GET /__mock/invoice` and `GET /__mock/requests`, for tests that run in another process. These requests
 * do not reach the gateway: they need no key and are not recorded. Returns whether it has responded.
 */
function handleRecords(
  mock: MockGateway,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const path = url?.split('?')[0];
  if (method !== 'GET' || (path !== '/__mock/invoice' && path !== '/__mock/requests')) return false;
  const records = path === '/__mock/invoice' ? mock.invoice : mock.requests.map(withoutSecrets);
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.end(`${JSON.stringify(records, undefined, 2)}\n`);
  return true;
}

function withoutSecrets(request: MockRequest): MockRequest {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      secretHeader.test(name) ? '[redacted]' : value,
    ]),
  );
  // Gemini clients send their key in the query.
  const search = request.search.replace(/([?&](?:api[-_]?)?key=)[^&]*/gi, '$1[redacted]');
  return { ...request, search, headers };
}

/** Converts a `node:http` message to a `Request`, or returns the error if that is not possible. */
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
    return { status: 405, message: `No endpoint supports the method ${method}` };
  }
}

/** Returns the URL with the host that the caller used, so that links in the response work for the caller. */
function urlOf(incoming: IncomingMessage, baseURL: string): string | undefined {
  const { url: target = '/' } = incoming;
  if (!target.startsWith('/')) return URL.canParse(target) ? target : undefined;
  const { host } = incoming.headers;
  const origin = host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : baseURL;
  return [origin, baseURL].map((base) => base + target).find((url) => URL.canParse(url));
}

function bodyOf(incoming: IncomingMessage, method: string): RequestInit & { duplex?: 'half' } {
  if (method === 'GET' || method === 'HEAD') return {};
  let canceled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Buffer) => {
        if (!canceled) controller.enqueue(chunk);
      });
      incoming.on('end', () => {
        if (!canceled) controller.close();
      });
      incoming.on('error', (error) => {
        controller.error(error);
      });
    },
    cancel() {
      canceled = true;
    },
  });
  return { body, duplex: 'half' };
}

/**
 * An error for input that never reaches the gateway, because it is not a valid HTTP request or uses an
 * unsupported method.
 */
interface ProtocolError {
  status: keyof typeof reasonPhrases;
  message: string;
}

const reasonPhrases = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

const parserErrors = new Map<unknown, ProtocolError>([
  ['HPE_INVALID_METHOD', { status: 400, message: 'The request method is invalid' }],
  ['HPE_INVALID_URL', { status: 400, message: 'The URL is invalid' }],
  ['HPE_HEADER_OVERFLOW', { status: 431, message: 'The headers are too large' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, message: 'The request took too long to arrive' }],
]);

/** Maps an error code of Node's HTTP parser to an error. */
const protocolError = (code: unknown): ProtocolError =>
  parserErrors.get(code) ?? { status: 400, message: 'The request is not valid HTTP' };

/** Formats a complete HTTP response, to be written to the socket. */
function rawErrorResponse({ status, message }: ProtocolError): string {
  const code = status === 405 ? 'method_not_allowed' : errorCode(status);
  const { type, text } = errorBody(status, code, message, 'envelope');
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 20);
  return [
    `HTTP/1.1 ${status} ${reasonPhrases[status]}`,
    'connection: close',
    `content-type: ${type}`,
    `content-length: ${new TextEncoder().encode(text).length}`,
    `x-request-id: req_${id}`,
    '',
    text,
  ].join('\r\n');
}
