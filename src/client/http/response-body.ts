import { whenAborted } from '../config/clock.ts';
import { isChromium } from '../config/environment.ts';

/** Creating a decoder is expensive, and most bodies arrive in one piece, which needs no state. */
const sharedDecoder = new TextDecoder();

/**
 * Returns a reader for the body of a response; undefined if it has none.
 *
 * In Chromium, a response that is not cached and whose body a reader reads to its end counts as canceled, in the
 * network panel as well as for extensions and service workers. A body that was split for a copy is read by the browser
 * itself and does not. The copy is dropped immediately, so that nothing is stored twice. The disadvantage: Chromium no
 * longer slows down the connection if the body is read slowly.
 */
export function readerOf(response: Response): BodyReader | undefined {
  if (!hasBody(response)) return undefined;
  const reader = openDirectly(response);
  if (reader) return reader;
  if (isChromium()) {
    response
      .clone()
      .body?.cancel()
      .catch(() => undefined);
  }
  // Splitting replaces the body.
  return response.body?.getReader();
}

/** Whether a response is an event stream, judging by its content type. */
export function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(headersOf(response).get('content-type') ?? '');
}

/** A body exceeded its size limit. */
export class BodyTooLargeError extends Error {}

/**
 * Reads a body as text, up to `limit` bytes. Counts the bytes itself, because `content-length` can be wrong.
 *
 * @throws {BodyTooLargeError} as soon as the limit is exceeded; the rest is not read.
 */
export async function readBodyText(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  const reader = readerOf(response);
  if (reader === undefined) return '';
  const cancel = () => void reader.cancel().catch(() => undefined);
  const stopListening = whenAborted(signal, cancel);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value === undefined) return decode(pieces);
      pieces.push(value);
      size += value.byteLength;
      if (size > limit) {
        cancel();
        throw new BodyTooLargeError();
      }
    }
  } finally {
    stopListening();
  }
}

/** A larger error body counts as unread. */
const maxErrorBodyBytes = 1_048_576;

/**
 * Reads the body of an error response; undefined if it is lost or too large. After an abort, the text can be
 * incomplete.
 */
export async function readErrorText(
  response: Response,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = await readBodyText(response, maxErrorBodyBytes, signal).catch(() => undefined);
  // Nothing reports that the connection was lost before the first byte, unless the body has announced how it ends.
  const { body, headers } = response;
  const hasEnd = headers.get('content-length') === '0' || headers.has('transfer-encoding');
  return text || !body || hasEnd ? text : undefined;
}

function decode(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return sharedDecoder.decode(pieces[0]);
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}

/** A copy of the response with another body. */
export function withBody(
  response: Response,
  body: ReadableStream<Uint8Array> | string | null,
): Response {
  return createResponse(body, response, response.url);
}

/** Creates a response with a `url`, which the constructor of `Response` cannot set. */
export function createResponse(
  body: ReadableStream<Uint8Array> | string | null,
  init: ResponseInit,
  url: string,
): Response {
  return Object.defineProperty(new Response(body, init), 'url', { value: url });
}

/** Reads the bytes of a body, as `ReadableStreamDefaultReader` does. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** What the client reads of a response: without `Headers` and a web stream, which cost more than the rest of a call. */
export interface DirectResponse {
  /** Whether there is a body, even an empty one. */
  readonly hasBody: boolean;
  /** The value of a header by its name in lower case; null if there is none. */
  get(name: string): string | null;
  /** A function that creates all headers. It does not keep the response and its body in memory. */
  readonly createHeaders: () => Headers;
  /** Opens the body, which then counts as used. */
  openBody(): BodyReader;
}

/** The property of a response that is also a {@link DirectResponse}. Entry points are built separately, and share it. */
export const direct = Symbol.for('polygate.direct-response');

/** A response that may have a direct way to read it. */
type MaybeDirect = Response & { readonly [direct]?: DirectResponse };

/** What a header is read from. */
export type HeaderReader = Pick<Headers, 'get'>;

/** The headers of a response. */
export function headersOf(response: MaybeDirect): HeaderReader {
  return response[direct] ?? response.headers;
}

/** Returns a function that reads all headers, for those who keep them longer than the response and its body. */
export function detachHeaders(response: MaybeDirect): () => Headers {
  const reader = response[direct];
  if (reader) return reader.createHeaders;
  const { headers } = response;
  return () => headers;
}

/** Whether a response has a body, even an empty one. */
function hasBody(response: MaybeDirect): boolean {
  return response[direct]?.hasBody ?? response.body !== null;
}

/** Opens the body of a response that has a direct way to read it; undefined for all others. */
function openDirectly(response: MaybeDirect): BodyReader | undefined {
  return response[direct]?.openBody();
}
