import type { HeaderChanges } from '../config/validation.ts';
import { withoutHalfPairs } from '../http/json.ts';
import type { IdempotencyHeader } from '../http/request-headers.ts';
import type { FetchArguments } from './fetch-arguments.ts';

/** A body in memory, which can be sent again. */
export type RequestBody = string | Uint8Array<ArrayBuffer> | undefined;

/** A request that was passed to `gateway.fetch`. */
export interface FetchRequest extends FetchArguments {
  readonly method: string;
  /** The path below the base URL, without the query. */
  readonly pathname: string;
  /** The same path with its query. */
  readonly path: string;
  /** Without credentials and idempotency keys. */
  readonly headers: HeaderChanges;
  /** The idempotency key and the header that carried it. */
  readonly key: readonly [header: IdempotencyHeader, key: string] | undefined;
}

/** Headers that the client sets itself when it sends the requests of another library. */
export const ownHeaders: readonly string[] = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'x-idempotency-key',
  'idempotency-key',
];

/** Headers that are replaced with the client's own, or that `fetch` sets itself. */
const droppedHeaders = [...ownHeaders, 'content-length', 'host'];

/** What a request is sent to and with, without an API key in the query. */
export function toFetchRequest(baseURL: string, given: FetchArguments): FetchRequest {
  const { url, created } = given;
  const { searchParams } = url;
  // A Gemini client sends its API key in the query. The client sends its own in a header. Even if there is nothing to
  // delete, `delete` encodes the whole query anew, which should be sent as the caller wrote it.
  if (searchParams.has('key')) searchParams.delete('key');
  const pathname = url.pathname.slice(new URL(baseURL).pathname.replace(/\/$/, '').length);
  return {
    ...given,
    method: created.method,
    pathname,
    path: pathname + url.search,
    headers: [...created.headers].filter(([name]) => !droppedHeaders.includes(name)),
    key: keyOf(created.headers),
  };
}

function keyOf(headers: Headers): FetchRequest['key'] {
  for (const name of ['x-idempotency-key', 'idempotency-key'] as const) {
    const key = headers.get(name);
    if (key) return [name, key];
  }
  return undefined;
}

/** JSON as `withoutHalfPairs` returns it, from text or bytes. Bytes without half a pair are returned unchanged. */
export function bytesWithoutHalfPairs<Bytes>(body: string | Bytes): string | Bytes {
  if (typeof body === 'string') return withoutHalfPairs(body);
  if (!(body instanceof Uint8Array) || !hasEscape(body)) return body;
  const text = new TextDecoder().decode(body);
  const replaced = withoutHalfPairs(text);
  return replaced === text ? body : replaced;
}

/** Whether bytes contain `\\ud` in either case. Most do not, and are not decoded: they can be an image of many MB. */
function hasEscape(bytes: Uint8Array): boolean {
  let index = bytes.indexOf(92);
  while (index >= 0) {
    if (bytes[index + 1] === 117 && (bytes[index + 2] === 100 || bytes[index + 2] === 68))
      return true;
    index = bytes.indexOf(92, index + 1);
  }
  return false;
}
