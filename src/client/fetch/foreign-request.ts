import { ConfigurationError } from '../../errors/base.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { sentence, singleLine } from '../http/json.ts';

// The arguments of `fetch` may come from another realm, or from another copy of undici: `new Request()` does not accept such
// a request, and `instanceof` does not recognize it.

/** Whether the input is a request, of any realm. */
export function isRequest(input: RequestInfo | URL): input is Request {
  return ['url', 'method', 'headers', 'arrayBuffer'].every((name) => name in Object(input));
}

/**
 * What the body is read from:
 *
 * - text is sent as it is;
 * - a body in `init`, or that of a request of the same realm, is in the request that was created from it;
 * - the body of a request of a foreign realm is only in that request.
 */
export function bodySource(
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
