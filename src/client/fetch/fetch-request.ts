import { ConfigurationError } from '../../errors/base.ts';
import { parseURL } from '../../wire/types/type-guards.ts';
import type { HeaderChanges } from '../config/header-changes.ts';
import { checkValue, signalRule } from '../config/validation.ts';
import { isUnsafePath } from '../http/path.ts';
import { ownHeaders } from '../http/request-headers.ts';
import type { IdempotencyHeader } from '../http/request-headers.ts';
import { bodySource, createRequest, isRequest } from './foreign-request.ts';

/** A body in memory, which can be sent again. */
export type RequestBody = string | Uint8Array<ArrayBuffer> | undefined;

/** A request that was passed to `gateway.fetch`. */
export interface FetchRequest {
  readonly method: string;
  /** The path below the base URL, without the query. */
  readonly pathname: string;
  /** The same path with its query. */
  readonly path: string;
  /** Without credentials and idempotency keys. */
  readonly headers: HeaderChanges;
  /** The idempotency key and the header that carried it. */
  readonly key: readonly [header: IdempotencyHeader, key: string] | undefined;
  /** Whether the body is a stream, which can be read only once. */
  readonly isStreamed: boolean;
  readonly signal: AbortSignal | undefined;
  /** The request that was created to check the arguments, and its URL. */
  readonly created: Request;
  readonly url: URL;
  /** What the body is read from. */
  readonly source: Request | string | undefined;
}

/** Headers that are replaced with the client's own, or that `fetch` sets itself. */
const droppedHeaders = [...ownHeaders, 'content-length', 'host'];

/**
 * Requests by their signals. In Node, the signal of a request that was collected as garbage never aborts, and few callers
 * keep a request while they read its response.
 */
const requests = new WeakMap<AbortSignal, Request>();

/**
 * Reads the arguments of a `fetch` call.
 *
 * @throws {@link ConfigurationError} if the URL is not below `baseURL`, or if `fetch` would reject the arguments.
 */
export function readFetchRequest(
  baseURL: string,
  input: RequestInfo | URL,
  init: RequestInit,
): FetchRequest {
  const given = isRequest(input) ? input : undefined;
  const { url, pathname, path } = readTarget(baseURL, isRequest(input) ? input.url : String(input));
  const { method = given?.method, headers = given?.headers, body, signal = given?.signal } = init;
  checkValue('signal', signal ?? undefined, signalRule);
  if (given && signal && signal === given.signal) requests.set(signal, given);
  // Safari cannot iterate over its streams.
  const isStreamed = Symbol.asyncIterator in Object(body) || 'getReader' in Object(body);
  // The constructor accepts no request of another realm or another copy of undici.
  const copied = given instanceof Request ? given : url;
  const request = createRequest(copied, { method, headers, body }, isStreamed);
  return {
    method: request.method,
    pathname,
    path,
    headers: [...request.headers].filter(([name]) => !droppedHeaders.includes(name)),
    key: keyOf(request.headers),
    isStreamed,
    signal: signal ?? undefined,
    url,
    created: request,
    source: bodySource(request, given, body),
  };
}

/** What a request is sent to, without an API key in the query. */
function readTarget(baseURL: string, target: string) {
  const url = parseURL(/^\/(?!\/)/.test(target) ? baseURL + target : target);
  if (!url?.href.startsWith(`${baseURL}/`) || isUnsafePath(url.pathname)) {
    throw new ConfigurationError(
      'gateway.fetch: the URL must be below gateway.baseURL, or a path that starts with one /.',
    );
  }
  const { searchParams } = url;
  // A Gemini client sends its API key in the query. The client sends its own in a header. Even if there is nothing to
  // delete, `delete` encodes the whole query anew, which should be sent as the caller wrote it.
  if (searchParams.has('key')) searchParams.delete('key');
  const pathname = url.pathname.slice(new URL(baseURL).pathname.replace(/\/$/, '').length);
  return { url, pathname, path: pathname + url.search };
}

function keyOf(headers: Headers): FetchRequest['key'] {
  for (const name of ['x-idempotency-key', 'idempotency-key'] as const) {
    const key = headers.get(name);
    if (key) return [name, key];
  }
  return undefined;
}
