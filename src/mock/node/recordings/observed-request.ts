import { isUtf8 } from 'node:buffer';

import { parseExactJson } from './json.ts';
import type { Redactor } from './redactor.ts';
import type { RecordedRequest } from './tape-file.ts';

/** A request that a client sends. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly signal: AbortSignal | undefined;
}

/** Reads a request without consuming it. Returns the input with which it can still be sent. */
export async function observe(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<{ request: ObservedRequest; send: [string | URL | Request, RequestInit | undefined] }> {
  const hasOwnBody = input instanceof Request || init.body instanceof ReadableStream;
  // A body that can be read only once is read from a copy.
  const whole = hasOwnBody ? new Request(input, init) : undefined;
  const body = whole
    ? await whole.clone().arrayBuffer()
    : await new Response(init.body ?? null).arrayBuffer();
  const request = {
    method: (whole?.method ?? init.method ?? 'GET').toUpperCase(),
    url: new URL(input instanceof Request ? input.url : input),
    headers: whole?.headers ?? new Headers(init.headers),
    body: new Uint8Array(body),
    signal: init.signal ?? whole?.signal,
  };
  return { request, send: whole ? [whole, undefined] : [input, init] };
}

/** A request as it is stored on a tape, and compared with those on it. */
export function toRecorded(
  { method, url, headers, body }: ObservedRequest,
  redactor: Redactor,
  gateway: string | undefined,
): RecordedRequest {
  redactor.learnKeys(headers, url);
  const path = redactor.address(new URL(url), gateway);
  if (body.length === 0) return { method, path };
  return { method, path, body: redactor.request(parseBody(body, headers, redactor)) };
}

function parseBody(body: Uint8Array, headers: Headers, redactor: Redactor): unknown {
  const bytes = Buffer.from(body);
  // As one character per byte, so that files in a form stay as they are.
  const raw = withoutBoundary(bytes.toString('latin1'), headers.get('content-type') ?? '');
  const stored = Buffer.from(raw, 'latin1');
  if (!isUtf8(stored)) {
    return `base64:${Buffer.from(redactor.text(raw), 'latin1').toString('base64')}`;
  }
  const text = stored.toString();
  return parseExactJson(text) ?? text;
}

/** Replaces the boundary of a form, which is chosen at random for each request. */
function withoutBoundary(form: string, contentType: string): string {
  // The content type is not known yet if `fetch` adds it. The first line of a form is its boundary.
  const [, boundary] =
    /boundary="?([^";]+)/.exec(contentType) ??
    /^--(\S{10,70})\r\ncontent-disposition:/i.exec(form) ??
    [];
  return boundary === undefined ? form : form.replaceAll(boundary, 'boundary');
}
