import { join } from './response/body-plan.ts';

/** A body as text. */
export interface ReadText {
  text: string;
  /** Whether its bytes are UTF-8; if not, they are mended in the text. */
  isUtf8: boolean;
}

/** A request in the shape in which the gateway reads it. */
export interface Incoming {
  method: string;
  url: URL;
  headers: Headers;
  /** Reads the body; undefined when it is longer than allowed. */
  read: (maxBytes: number) => Promise<ReadText | undefined>;
  signal: AbortSignal | undefined;
  redirect: RequestRedirect;
}

/** Takes what `fetch` takes. A text body is read without a detour through a `Request`. */
export function receive(input: string | URL | Request, init: RequestInit = {}): Incoming {
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
        const tooLong = byteLength(text, maxBytes) > maxBytes;
        return Promise.resolve(tooLong ? undefined : { text, isUtf8: true });
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

function byteLength(text: string, maxBytes: number): number {
  // A UTF-16 unit is at most three bytes: only bodies near the limit have to be counted.
  return text.length * 3 <= maxBytes ? text.length : new TextEncoder().encode(text).length;
}

async function readText(body: Request['body'], maxBytes: number): Promise<ReadText | undefined> {
  if (body === null) return { text: '', isUtf8: true };
  const reader = body.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decoded(join(pieces));
    length += value.length;
    if (length > maxBytes) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    pieces.push(value);
  }
}

function decoded(bytes: Uint8Array): ReadText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true };
  } catch {
    return { text: new TextDecoder().decode(bytes), isUtf8: false };
  }
}
