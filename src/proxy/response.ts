import { parseResponseMeta } from '../internal/response-meta.ts';
import { isRecord } from '../types/type-guards.ts';
import { parseRecord } from './body/read.ts';
import { errorResponse, errorType } from './error-response.ts';
import type { Settings } from './settings.ts';

/** Returns the names of the response headers that are forwarded to the page; all others are dropped. */
export function exposedHeaders(settings: ResponseSettings): string[] {
  const { requestIdHeader, headerPrefix, exposeCharges } = settings;
  const vendor = ['task-id', 'idempotent-replay', ...concurrencyHeaders];
  if (exposeCharges !== false) vendor.push('charge-usd');
  // With `date`, the client can turn a `retry-after` date into a delay even if the page's clock is wrong.
  const standard = ['content-type', 'retry-after', 'date', 'x-request-id', requestIdHeader];
  return [...new Set([...standard, ...vendor.map((name) => headerPrefix + name)])];
}

type ResponseSettings = Pick<Settings, 'requestIdHeader' | 'headerPrefix' | 'exposeCharges'>;

const concurrencyHeaders = ['concurrency-limit', 'concurrency-remaining', 'concurrency-source'];

/** The fields of an error body, without secrets. */
export type ErrorDetails = Awaited<ReturnType<typeof readError>>;

/** Reads the body of an error response. Stops when the page leaves. */
export async function readError(
  upstream: Response,
  signal: AbortSignal,
  redact: (text: string) => string,
) {
  const text = await readPrefix(upstream, signal).catch(() => '');
  return parseError(upstream.status, text, redact);
}

/**
 * Builds the page's response: exposed headers, the body as a stream, and errors in the gateway's format. Calls `onEnd`
 * once the body has ended, for any reason.
 */
export function relayResponse(
  upstream: Response,
  error: ErrorDetails | undefined,
  request: Request,
  settings: ResponseSettings,
  onEnd: () => void,
): Response {
  if (request.signal.aborted) {
    upstream.body?.cancel().catch(() => {});
    onEnd();
    return new Response(null, { status: 499 });
  }
  const headers = new Headers();
  for (const name of exposedHeaders(settings)) {
    const value = upstream.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const { status } = upstream;
  if (error !== undefined) {
    onEnd();
    const { chargeUsd = 0 } = parseResponseMeta(upstream, settings);
    if (chargeUsd === 0 || settings.exposeCharges !== false) {
      return errorResponse(status, error, headers);
    }
    // Without the charge, the client in the page would send a chat again after a 429 or a 503.
    const message = `${error.message} (${status}) The request may have been charged.`;
    return errorResponse(502, { message, type: errorType(502), code: 'bad_gateway' }, headers);
  }
  // Keeps reverse proxies such as nginx from buffering the stream.
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    headers.set('x-accel-buffering', 'no');
  }
  if (upstream.body === null) onEnd();
  const body = upstream.body && relayBody(upstream.body, request, onEnd);
  return new Response(body, { status, headers });
}

/**
 * Relays one chunk of the body at a time, and reads the next one only when the page does. The closures keep a reference
 * to the request until the body ends: in Node, the signal of a garbage-collected request no longer reports that the
 * page disconnected.
 */
function relayBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  request: Request,
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
        const { value, done } = await reader.read().catch((error: unknown) => {
          end();
          throw error;
        });
        request.signal.throwIfAborted();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
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
 * Extracts the fields of an error body. Servers in front of the gateway use other formats, and some quote the
 * rejected key, so every text is redacted.
 */
function parseError(status: number, text: string, redact: (text: string) => string) {
  const body = parseRecord(text) ?? {};
  const details = isRecord(body.error) ? body.error : body;
  const field = (value: unknown) =>
    typeof value === 'string' && value !== '' ? redact(value) : undefined;
  return {
    message:
      field(details.message) ??
      field(body.error) ??
      field(body.detail) ??
      `The gateway responded with status ${status}.`,
    type: field(details.type) ?? errorType(status),
    code: field(details.code),
    param: field(details.param),
  };
}

/** Reads about the first 64 KiB of an error body and cancels the rest. Stops when the page leaves. */
async function readPrefix({ body }: Response, signal: AbortSignal): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await readText(reader);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function readText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length < 65_536) continue;
    reader.cancel().catch(() => {});
    return text;
  }
}
