import { isRecord, parseRecord } from './body.ts';
import { errorResponse, errorType } from './refusal.ts';
import type { Settings } from './settings.ts';

/** The headers of an answer that a page gets: these and no others. */
export function answerHeaders(settings: AnswerSettings): string[] {
  const { requestIdHeader, headerPrefix, exposeCharges } = settings;
  const vendor = ['task-id', 'idempotent-replay', ...concurrency];
  if (exposeCharges !== false) vendor.push('charge-usd');
  // The date turns a `retry-after` that is a time into a wait, whatever the page's clock says.
  const plain = ['content-type', 'retry-after', 'date', 'x-request-id', requestIdHeader];
  return [...new Set([...plain, ...vendor.map((name) => headerPrefix + name)])];
}

type AnswerSettings = Pick<Settings, 'requestIdHeader' | 'headerPrefix' | 'exposeCharges'>;

const concurrency = ['concurrency-limit', 'concurrency-remaining', 'concurrency-source'];

/** The gateway's answer as the page gets it: chosen headers, the body as it comes, errors in their envelope. */
export async function passOn(
  upstream: Response,
  request: Request,
  settings: AnswerSettings,
  hide: (words: string) => string,
): Promise<Response> {
  const headers = new Headers();
  for (const name of answerHeaders(settings)) {
    const value = upstream.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const { status } = upstream;
  if (status >= 400) {
    const text = await readStart(upstream).catch(() => '');
    return errorResponse(status, readError(status, text, hide), headers);
  }
  // Servers on the way must not hold the words of a stream back.
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    headers.set('x-accel-buffering', 'no');
  }
  return new Response(upstream.body && passThrough(upstream.body, request), { status, headers });
}

/**
 * The body, a piece at a time and only when it is asked for. It holds the request until the end: a page's leaving comes
 * by the request's signal, which falls silent when nobody holds the request any more (Node).
 */
function passThrough(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  request: Request,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const leave = () => void reader.cancel(request.signal.reason).catch(() => {});
  const stay = () => request.signal.removeEventListener('abort', leave);
  return new ReadableStream(
    {
      start: () => request.signal.addEventListener('abort', leave, { once: true }),
      async pull(controller) {
        const { value, done } = await reader.read();
        request.signal.throwIfAborted();
        if (!done) return controller.enqueue(value);
        stay();
        controller.close();
      },
      cancel(reason) {
        stay();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Whatever stands in front of the gateway answers in its own way, and some servers quote the key that they refuse. */
function readError(status: number, text: string, hide: (words: string) => string) {
  const body = parseRecord(text) ?? {};
  const said = isRecord(body.error) ? body.error : body;
  const word = (value: unknown) =>
    typeof value === 'string' && value !== '' ? hide(value) : undefined;
  return {
    message:
      word(said.message) ??
      word(body.error) ??
      word(body.detail) ??
      `The gateway answered ${status}.`,
    type: word(said.type) ?? errorType(status),
    code: word(said.code),
    param: word(said.param),
  };
}

/** The first 64 KiB of a body: no error says more. */
async function readStart({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
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
