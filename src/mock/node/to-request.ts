import type { IncomingMessage } from 'node:http';

import { protocolError } from './protocol-error.ts';
import type { ProtocolError } from './protocol-error.ts';

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
