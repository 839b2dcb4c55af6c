import { isConnectable } from './ports.ts';
import type { OutgoingRequest } from './request.ts';

/** Headers that authorize a request, and must not reach another server. */
const credentials = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'host',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
];

/** Headers that describe a body. */
const bodyHeaders = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
];

/** Whether a response redirects. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The request that follows a redirect, as `fetch` makes it.
 *
 * @throws if it cannot be followed.
 */
export function redirectedRequest(
  request: OutgoingRequest,
  status: number,
  location: string,
): OutgoingRequest {
  const url = new URL(location, request.url);
  if (!isConnectable(url)) throw new Error('the target must be an HTTP server');
  const { method } = request;
  const headers = { ...request.headers };
  if (url.origin !== request.url.origin) {
    if (url.username || url.password) throw new Error('cross origin not allowed');
    for (const name of credentials) delete headers[name];
  }
  const becomesGet =
    ((status === 301 || status === 302) && method === 'POST') ||
    (status === 303 && method !== 'GET' && method !== 'HEAD');
  if (becomesGet) {
    for (const name of bodyHeaders) delete headers[name];
    return { ...request, url, method: 'GET', headers, body: null };
  }
  if (request.body !== null && Symbol.asyncIterator in Object(request.body)) {
    throw new Error('a stream cannot be sent again to the target of a redirect');
  }
  return { ...request, url, headers };
}
