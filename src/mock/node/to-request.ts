import type { IncomingMessage } from 'node:http';

import { errorBody, errorCode } from '../http/errors.ts';

/** Converts a `node:http` message to a `Request`, or returns the error if that is not possible. */
export function toRequest(incoming: IncomingMessage, baseURL: string): Request | ProtocolError {
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
  status: 400 | 405 | 408 | 431;
  message: string;
}

const reasonPhrases = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Maps an error code of Node's HTTP parser to an error. */
export function protocolError(code: unknown): ProtocolError {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return { status: 400, message: 'The request method is invalid' };
    case 'HPE_INVALID_URL':
      return { status: 400, message: 'The URL is invalid' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'The headers are too large' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request took too long to arrive' };
    default:
      return { status: 400, message: 'The request is not valid HTTP' };
  }
}

/** Formats a complete HTTP response, to be written to the socket. */
export function rawErrorResponse({ status, message }: ProtocolError): string {
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
