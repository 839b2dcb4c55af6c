import { ConfigurationError } from '../../errors/configuration.ts';
import type { HeaderChanges } from '../config/header-changes.ts';
import { isUnsafePath } from '../http/path.ts';

/** A request that was passed to `gateway.fetch`, with its body in memory so that it can be sent again. */
export interface FetchRequest {
  readonly method: string;
  /** The path below the base URL, without the query. */
  readonly template: string;
  /** The path with its query. */
  readonly path: string;
  /** Without credentials and idempotency keys. */
  readonly headers: HeaderChanges;
  /** The idempotency key and the header that carried it. */
  readonly key: readonly [header: 'x-idempotency-key' | 'idempotency-key', key: string] | undefined;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
  /** Whether the body was a stream, which could not have been sent again. */
  readonly isStreamed: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Headers that are replaced with the client's own, or that `fetch` sets itself. */
const droppedHeaders = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'x-idempotency-key',
  'idempotency-key',
  'content-length',
  'host',
]);

/**
 * Reads the arguments of a `fetch` call.
 *
 * @throws {@link ConfigurationError} if the URL is not below `baseURL`, or if `fetch` would reject the arguments.
 */
export async function readFetchRequest(
  baseURL: string,
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<FetchRequest> {
  const url = parseURL(baseURL, input instanceof Request ? input.url : String(input));
  const template = url.pathname.slice(new URL(baseURL).pathname.replace(/\/$/, '').length);
  // The key of the Gemini API.
  if (url.searchParams.has('key')) url.searchParams.delete('key');
  const isStreamed = Symbol.asyncIterator in Object(init.body);
  try {
    const request = new Request(input instanceof Request ? input : url, {
      ...init,
      signal: null,
      ...(isStreamed && { duplex: 'half' }),
    });
    const { method, headers } = request;
    const bytes = request.body && new Uint8Array(await request.arrayBuffer());
    const key = headers.get('x-idempotency-key');
    const otherKey = headers.get('idempotency-key');
    return {
      method,
      template,
      path: template + url.search,
      headers: [...headers].filter(([name]) => !droppedHeaders.has(name)),
      key: key ? ['x-idempotency-key', key] : otherKey ? ['idempotency-key', otherKey] : undefined,
      body: typeof init.body === 'string' ? init.body : (bytes ?? undefined),
      isStreamed,
      signal: init.signal ?? (input instanceof Request ? input.signal : undefined),
    };
  } catch (cause) {
    throw new ConfigurationError('gateway.fetch: the request is invalid.', { cause });
  }
}

function parseURL(baseURL: string, target: string): URL {
  const url = URL.parse(/^\/(?!\/)/.test(target) ? baseURL + target : target);
  if (url?.href.startsWith(`${baseURL}/`) && !isUnsafePath(url.pathname)) return url;
  throw new ConfigurationError(
    'gateway.fetch: the URL must be below gateway.baseURL, or a path that starts with one /.',
  );
}
