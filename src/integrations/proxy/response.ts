import { sentence, parseErrorBody, parseJson, readErrorText } from '../../internal.ts';
import type { ResponseMeta } from '../../internal.ts';
import { outcomeOf, verdictOf } from '../../paid/verdict.ts';
import type { Verdict } from '../../paid/verdict.ts';
import { keyFilterFor } from './body/key-filter.ts';
import type { KeyFilter } from './body/key-filter.ts';
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

/** An error response of the gateway. */
export interface GatewayError {
  readonly meta: ResponseMeta;
  readonly verdict: Verdict;
  /** The fields of its body, without secrets. */
  readonly fields: ReturnType<typeof parseError>;
}

/** Reads the body of an error response. Stops when the page leaves; the body then counts as lost. */
export async function readError(
  upstream: Response,
  meta: ResponseMeta,
  page: AbortSignal,
  redact: (text: string) => string,
): Promise<GatewayError> {
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
  { meta, verdict, fields }: GatewayError,
  settings: ResponseSettings,
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

function visibleHeaders(upstream: Response, settings: ResponseSettings): Headers {
  const headers = new Headers();
  for (const name of exposedHeaders(settings)) {
    const value = upstream.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

/**
 * Builds the page's response: exposed headers, and the body as a stream without the API key. Calls `onEnd` once the body
 * has ended, for any reason.
 */
export function relayResponse(
  upstream: Response,
  request: Request,
  settings: ResponseSettings,
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
