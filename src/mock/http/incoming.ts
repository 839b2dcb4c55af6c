import { concatenate } from './response.ts';

/** A body decoded to text. */
interface DecodedText {
  text: string;
  /** Whether the bytes are valid UTF-8. If not, the text contains replacement characters. */
  isUtf8: boolean;
}

/** A request in the form in which the gateway processes it. */
export interface IncomingRequest {
  method: string;
  url: URL;
  headers: Headers;
  /** Reads the body; resolves to undefined if it is larger than `maxBytes`. */
  read: (maxBytes: number) => Promise<DecodedText | undefined>;
  signal: AbortSignal | undefined;
  redirect: RequestRedirect;
}

/** Converts the arguments of `fetch`. For speed, a string body skips the `Request` constructor. */
export function toIncomingRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): IncomingRequest {
  const signal = init.signal ?? (input instanceof Request ? input.signal : undefined);
  if (!(input instanceof Request) && isPlain(init.body)) {
    const text = init.body ?? '';
    const headers = new Headers(init.headers);
    if (text !== '' && !headers.has('content-type')) {
      headers.set('content-type', 'text/plain;charset=UTF-8');
    }
    return {
      method: (init.method ?? 'GET').toUpperCase(),
      url: new URL(input),
      headers,
      read: (maxBytes) => {
        const tooLarge = exceedsByteLimit(text, maxBytes);
        return Promise.resolve(tooLarge ? undefined : { text, isUtf8: true });
      },
      signal: signal ?? undefined,
      redirect: init.redirect ?? 'follow',
    };
  }
  const request = new Request(input, { ...init, signal: null });
  return {
    method: request.method.toUpperCase(),
    url: new URL(request.url),
    headers: request.headers,
    read: (maxBytes) => readText(request.body, maxBytes),
    signal: signal ?? undefined,
    redirect: request.redirect,
  };
}

function isPlain(body: BodyInit | null | undefined): body is string | null | undefined {
  return body === undefined || body === null || typeof body === 'string';
}

function exceedsByteLimit(text: string, maxBytes: number): boolean {
  // A UTF-16 code unit is at most three bytes, so only bodies near the limit have to be encoded.
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes;
}

async function readText(body: Request['body'], maxBytes: number): Promise<DecodedText | undefined> {
  if (body === null) return { text: '', isUtf8: true };
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decode(concatenate(chunks));
    length += value.length;
    if (length > maxBytes) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(value);
  }
}

function decode(bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true };
  } catch {
    return { text: new TextDecoder().decode(bytes), isUtf8: false };
  }
}

/** The body of a request. */
export interface ReceivedBody {
  text: string;
  /** The parsed JSON, or the text if it is not valid JSON; undefined if the body is empty. */
  value: unknown;
  isUtf8: boolean;
  isJson: boolean;
  tooLarge: boolean;
}

const empty: ReceivedBody = {
  text: '',
  value: undefined,
  isUtf8: true,
  isJson: false,
  tooLarge: false,
};

/** Reads and parses the body, unless it is larger than `maxBytes`. */
export async function readBody(incoming: IncomingRequest, maxBytes: number): Promise<ReceivedBody> {
  const decoded = await incoming.read(maxBytes);
  if (decoded === undefined) return { ...empty, tooLarge: true };
  const { text } = decoded;
  if (text === '') return empty;
  try {
    return { ...empty, ...decoded, value: JSON.parse(text), isJson: true };
  } catch {
    return { ...empty, ...decoded, value: text };
  }
}
