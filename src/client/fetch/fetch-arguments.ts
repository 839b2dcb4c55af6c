import { ConfigurationError } from '../../errors/base.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { parseURL } from '../../wire/types/type-guards.ts';
import { checkValue, signalRule } from '../config/validation.ts';
import { sentence, singleLine } from '../http/json.ts';
import { isUnsafePath } from '../http/path.ts';

/** The arguments of a `gateway.fetch` call, read and checked when it is made: later changes to them have no effect. */
export interface FetchArguments {
  /** May have an API key in its query. */
  readonly url: URL;
  /** The request that was created to check the arguments. */
  readonly created: Request;
  /** What the body is read from. */
  readonly source: Request | string | undefined;
  /** Whether the body is a stream, which can be read only once. */
  readonly isStreamed: boolean;
  readonly signal: AbortSignal | undefined;
}

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
export function readFetchArguments(
  baseURL: string,
  input: RequestInfo | URL,
  init: RequestInit,
): FetchArguments {
  const given = isRequest(input) ? input : undefined;
  const url = targetOf(baseURL, isRequest(input) ? input.url : String(input));
  const { method = given?.method, headers = given?.headers, body, signal = given?.signal } = init;
  checkValue('signal', signal ?? undefined, signalRule);
  if (given && signal && signal === given.signal) requests.set(signal, given);
  // Safari cannot iterate over its streams.
  const isStreamed = Symbol.asyncIterator in Object(body) || 'getReader' in Object(body);
  // The constructor accepts no request of another realm or another copy of undici.
  const copied = given instanceof Request ? given : url;
  const created = createRequest(copied, { method, headers, body }, isStreamed);
  const source = bodySource(created, given, body);
  return { url, created, source, isStreamed, signal: signal ?? undefined };
}

function targetOf(baseURL: string, target: string): URL {
  const url = parseURL(/^\/(?!\/)/.test(target) ? baseURL + target : target);
  if (url?.href.startsWith(`${baseURL}/`) && !isUnsafePath(url.pathname)) return url;
  throw new ConfigurationError(
    'gateway.fetch: the URL must be below gateway.baseURL, or a path that starts with one /.',
  );
}

// The arguments of `fetch` may come from another realm, or from another copy of undici: `new Request()` does not accept such
// a request, and `instanceof` does not recognize it.

/** Whether the input is a request, of any realm. */
function isRequest(input: RequestInfo | URL): input is Request {
  return ['url', 'method', 'headers', 'arrayBuffer'].every((name) => name in Object(input));
}

/**
 * What the body is read from:
 *
 * - text is sent as it is;
 * - a body in `init`, or that of a request of the same realm, is in the request that was created from it;
 * - the body of a request of a foreign realm is only in that request.
 */
function bodySource(
  created: Request,
  given: Request | undefined,
  body: RequestInit['body'],
): Request | string | undefined {
  if (typeof body === 'string') return body;
  return body || given instanceof Request ? created : given;
}

/** Only what is sent: the client decides about redirects, credentials and the rest. */
export function createRequest(
  input: Request | URL,
  {
    method,
    headers,
    body,
  }: { [Name in 'method' | 'headers' | 'body']?: RequestInit[Name] | undefined },
  isStreamed: boolean,
): Request {
  const duplex = isStreamed ? 'half' : undefined;
  const copied = headers && createHeaders(headers);
  const init = omitUndefined({ method, headers: copied, body, duplex, signal: null });
  try {
    return new Request(input, init);
  } catch (cause) {
    throw invalidRequest(cause);
  }
}

/** The error has no cause, because its message would quote the header, which may be secret. */
function createHeaders(headers: HeadersInit): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw requestError('a header has an invalid name or value');
  }
}

/** The error for arguments that `fetch` would reject. */
export function invalidRequest(cause: unknown): ConfigurationError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return requestError(singleLine(reason), cause);
}

function requestError(reason: string, cause?: unknown): ConfigurationError {
  const message = `gateway.fetch: the request is invalid: ${sentence(reason)} Nothing was sent.`;
  return new ConfigurationError(message, { cause });
}
