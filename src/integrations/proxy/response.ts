import { sentence, parseErrorBody, parseJson, readErrorText } from '../../internal.ts';
import type { ResponseMeta } from '../../internal.ts';
import { outcomeOf, verdictOf } from '../../paid/verdict.ts';
import { errorResponse, errorType } from './error-response.ts';
import { visibleHeaders } from './headers.ts';
import type { Settings } from './settings.ts';

/**
 * Reads the body of an error response, and returns its fields without secrets. Stops when the page leaves; the body then
 * counts as lost.
 */
export async function readError(
  upstream: Response,
  meta: ResponseMeta,
  page: AbortSignal,
  redact: (text: string) => string,
) {
  const hadLeft = page.aborted;
  const text = await readErrorText(upstream, page);
  const isLost = text === undefined || (page.aborted && !hadLeft);
  // As the client does, so that no body proves a rejection only here.
  const body = isLost ? undefined : (parseJson(text) ?? text);
  const fields = parseError(meta.status, isLost || typeof body === 'string' ? '' : text, redact);
  return { meta, verdict: verdictOf(meta, { code: fields.code, body }), fields };
}

/** Builds the page's response to an error, in the gateway's format. */
export function relayError(
  upstream: Response,
  { meta, verdict, fields }: Awaited<ReturnType<typeof readError>>,
  settings: Settings,
): Response {
  const headers = visibleHeaders(upstream, settings);
  const { status, chargeUsd = 0 } = meta;
  const { code, message: given } = fields;
  const isChargeVisible = chargeUsd === 0 || settings.exposeCharges !== false;
  // What the client of the page makes of the response.
  const relayed = verdictOf(meta, { code, body: {} });
  const ownMessage = `The gateway responded with status ${status}.`;
  if (isChargeVisible && outcomeOf(verdict) === outcomeOf(relayed)) {
    return errorResponse(status, { ...fields, message: given ?? ownMessage }, headers);
  }
  // The page lacks the charge, or the code that was lost, and its client would send a chat again after a 429 or a 503.
  const reason = given === undefined ? ownMessage : sentence(`${given} (${status})`);
  const message = `${reason} The request may have been charged.`;
  return errorResponse(502, { message, type: errorType(502), code: 'bad_gateway' }, headers);
}

/**
 * Builds the page's response: exposed headers, and the body as a stream without the API key. Calls `onEnd` once the body
 * has ended, for any reason.
 */
export function relayResponse(
  upstream: Response,
  request: Request,
  settings: Settings,
  apiKey: string | undefined,
  onEnd: () => void,
): Response {
  if (request.signal.aborted) {
    upstream.body?.cancel().catch(() => {});
    onEnd();
    return new Response(null, { status: 499 });
  }
  const headers = visibleHeaders(upstream, settings);
  // Keeps reverse proxies such as nginx from buffering the stream.
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    headers.set('x-accel-buffering', 'no');
  }
  if (upstream.body === null) onEnd();
  const filter = keyFilterFor(upstream.headers, apiKey);
  const body = upstream.body && relayBody(upstream.body, request, filter, onEnd);
  return new Response(body, { status: upstream.status, headers });
}

/**
 * Relays one chunk of the body at a time, and reads the next one only when the page does. The closures keep a reference
 * to the request until the body ends: in Node, the signal of a garbage-collected request no longer reports that the
 * page disconnected.
 */
function relayBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  request: Request,
  filter: KeyFilter | undefined,
  onEnd: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const onAbort = () => {
    end();
    reader.cancel(request.signal.reason).catch(() => {});
  };
  let hasEnded = false;
  const end = () => {
    request.signal.removeEventListener('abort', onAbort);
    if (!hasEnded) onEnd();
    hasEnded = true;
  };
  return new ReadableStream(
    {
      start: () => request.signal.addEventListener('abort', onAbort, { once: true }),
      async pull(controller) {
        for (;;) {
          const { value, done } = await reader.read().catch((error: unknown) => {
            end();
            throw error;
          });
          request.signal.throwIfAborted();
          const bytes = done ? filter?.end() : (filter?.add(value) ?? value);
          if (bytes && bytes.length > 0) controller.enqueue(bytes);
          if (done) {
            end();
            return controller.close();
          }
          // If the whole chunk is held back, the page waits for the next one.
          if (bytes && bytes.length > 0) return undefined;
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The fields of an error body, read as the client does, so that no code proves a rejection only here. Some servers quote
 * the rejected key: it is removed before long messages are cut, and where JSON had escaped it.
 */
function parseError(status: number, json: string, redact: (text: string) => string) {
  const { message, type, code, param } = parseErrorBody(redact(json));
  const field = (value: string | undefined) => value && redact(value);
  return {
    message: field(message),
    type: field(type) ?? errorType(status),
    code: field(code),
    param: field(param),
  };
}

/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

type Bytes = Uint8Array<ArrayBuffer>;

const replacement: Bytes = new TextEncoder().encode('(the API key)');

/**
 * Removes the API key from a body that arrives in chunks: a gateway can repeat it in the record of a task that has failed, or
 * in the error of a stream. Holds back the end of a chunk only if it could be the beginning of the key.
 */
class KeyFilter {
  readonly #forms: readonly Uint8Array[];
  #held: Bytes = new Uint8Array();

  constructor(key: string) {
    this.#forms = formsOf(key).map((form) => new TextEncoder().encode(form));
  }

  /** What may be passed on after this chunk. */
  add(chunk: Bytes): Bytes {
    const bytes = this.#held.length > 0 ? joined([this.#held, chunk]) : chunk;
    const parts: Bytes[] = [];
    let start = 0;
    let found = this.#find(bytes, 0);
    for (; found.end <= bytes.length; found = this.#find(bytes, start)) {
      parts.push(bytes.subarray(start, found.at), replacement);
      start = found.end;
    }
    this.#held = bytes.slice(found.at);
    const rest = bytes.subarray(start, found.at);
    return parts.length > 0 ? joined([...parts, rest]) : rest;
  }

  /** What is left at the end of the body. */
  end(): Bytes {
    return this.#held;
  }

  /** Where the key is, or would end if its beginning is at the end of the bytes; beyond the bytes if nowhere. */
  #find(bytes: Bytes, from: number): { readonly at: number; readonly end: number } {
    let first = { at: bytes.length, end: Infinity };
    for (const form of this.#forms) {
      let at = bytes.indexOf(form[0] ?? 0, from);
      while (at >= 0 && at <= first.at && !isAt(bytes, at, form)) {
        at = bytes.indexOf(form[0] ?? 0, at + 1);
      }
      const end = at + form.length;
      // Of the forms that begin here, the shortest may be complete.
      if (at >= 0 && at <= first.at && (at < first.at || end < first.end)) first = { at, end };
    }
    return first;
  }
}

/** Whether a form of the key, or its beginning at the end of the bytes, is at this position. */
function isAt(bytes: Bytes, at: number, form: Uint8Array): boolean {
  const end = Math.min(form.length, bytes.length - at);
  for (let index = 1; index < end; index += 1) {
    if (bytes[at + index] !== form[index]) return false;
  }
  return true;
}

/** A key as it is, and as JSON writers escape it. */
function formsOf(key: string): string[] {
  const escaped = [/[+=<>&'/]/g, /[+=<>&']/g, /[+<>&'`]/g, /[=<>&']/g, /[<>&]/g].flatMap(
    (special) =>
      [0, 1].map((isUpper) =>
        key.replace(special, (character) => {
          const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
          return `\\u${isUpper ? hex.toUpperCase() : hex}`;
        }),
      ),
  );
  const all = [key, ...escaped];
  return [...new Set([...all, ...all.map((form) => form.replaceAll('/', String.raw`\/`))])];
}

/** The filter for a body of this type; undefined if it contains no text, or there is no key. */
function keyFilterFor(headers: Headers, apiKey: string | undefined): KeyFilter | undefined {
  const isMedia = /^(image|video|audio)\/(?!svg)|octet-stream/i.test(
    headers.get('content-type') ?? '',
  );
  if (apiKey === undefined || apiKey.length < minKeyLength || isMedia) return undefined;
  return new KeyFilter(apiKey);
}

function joined(parts: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
