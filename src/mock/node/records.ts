import type { IncomingMessage, ServerResponse } from 'node:http';

import type { MockRequest } from '../exchange.ts';
import type { MockGateway } from '../gateway.ts';

/** Names of headers that can contain an API key or another secret, whether the gateway reads them or not. */
const secretHeader = /authorization|cookie|api-?key|token|secret/;

/**
 * Responds to `GET /__mock/invoice` and `GET /__mock/requests`, for tests that run in another process. These requests
 * do not reach the gateway: they need no key and are not recorded. Returns whether it has responded.
 */
export function handleRecords(
  mock: MockGateway,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (method !== 'GET') return false;
  const records = recordsAt(mock, url?.split('?')[0]);
  if (records === undefined) return false;
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.end(`${JSON.stringify(records, undefined, 2)}\n`);
  return true;
}

function recordsAt(mock: MockGateway, path: string | undefined): readonly object[] | undefined {
  switch (path) {
    case '/__mock/invoice':
      return mock.invoice;
    case '/__mock/requests':
      return mock.requests.map(withoutSecrets);
    default:
      return undefined;
  }
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
