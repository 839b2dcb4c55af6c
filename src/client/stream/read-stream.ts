import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { StreamErrors } from '../call/failure/stream-errors.ts';
import type { ResponseContext } from '../call/response.ts';
import { whenAborted } from '../config/clock.ts';
import { headersOf } from '../http/direct-response.ts';
import type { BodyReader } from '../http/direct-response.ts';
import { parseJson } from '../http/json.ts';
import { isEventStream, readBodyText, readerOf, withBody } from '../http/response-body.ts';
import { SlotLease } from '../limits/slot-lease.ts';
import { readChunks } from './chunk-reader.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { isEventText, withoutDone } from './event-decoder.ts';

/** Reads a response that has to be an event stream, or has to contain the same. */
export async function readStream(
  context: ResponseContext,
  choiceCount: number,
  signal: AbortSignal | undefined,
): Promise<ChunkReader> {
  const { response } = context;
  const body = isEventStream(response) ? readerOf(response) : undefined;
  const bytes = body ?? (await openOtherType(context));
  const errors = new StreamErrors(context.history);
  return readChunks({ ...context, errors }, bytes, choiceCount, signal);
}

/**
 * Opens the body of a response with another content type than that of an event stream, if it contains one, or a completion.
 *
 * @throws ResponseValidationError with the body for anything else.
 */
async function openOtherType(context: ResponseContext): Promise<BodyReader> {
  const { response, errors, config, signal } = context;
  const type = headersOf(response).get('content-type') ?? 'no content type';
  const problem = `expected an event stream, received ${type}`;
  const opened = readerOf(response);
  if (opened === undefined) throw errors.invalidResponse(context.meta(), problem, '');
  const { start, body } = await peek(opened, signal);
  if (isEventText(start)) {
    config.log.warn(() => `A streamed chat: ${problem}. Its body is an event stream, and is read.`);
    return body.getReader();
  }
  const rest = withBody(response, body);
  const text = await readBodyText(rest, config.maxResponseBytes, signal).catch(() => '');
  if (!isCompletion(parseJson(withoutDone(text)))) {
    throw errors.invalidResponse(context.meta(), problem, parseJson(text) ?? text);
  }
  return readerOfText(text);
}

/** The completion in the body of a chat that is not streamed: an event stream, or JSON followed by `data: [DONE]`. */
export async function readOtherShape(text: string, context: ResponseContext): Promise<unknown> {
  const isEvents = isEventText(text);
  const value = isEvents ? await readEventText(context, text) : parseJson(withoutDone(text));
  if (value !== undefined) {
    const shape = isEvents ? 'an event stream' : 'JSON followed by [DONE]';
    context.config.log.warn(
      () => `A chat that is not streamed: received ${shape}, which was read.`,
    );
  }
  return value;
}

async function readEventText(
  { history, config, meta, call: { body } }: ResponseContext,
  text: string,
): Promise<ChatCompletion> {
  const params = typeof body === 'string' ? parseJson(body) : undefined;
  const { n } = isRecord(params) ? params : {};
  const errors = new StreamErrors(history);
  const context = { history, errors, config, meta, lease: new SlotLease() };
  const count = typeof n === 'number' ? n : 1;
  const reader = readChunks(context, readerOfText(text), count, undefined);
  while (!(await reader.next()).done);
  return (await reader.final).completion;
}

/** A body that is already known. */
function readerOfText(text: string): BodyReader {
  const rest = [new TextEncoder().encode(text)];
  return {
    read: async () => ({ done: rest.length === 0, value: rest.pop() }),
    cancel: async () => undefined,
  };
}

/** Whether a value is the record of a chat, and not of anything else. */
function isCompletion(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value.choices) && value.choices.length > 0;
}

/** How much white space may precede what a body contains. */
const maxPeekBytes = 2 ** 16;

/** Reads the start of a body, and returns a copy of the body from its start. */
async function peek(reader: BodyReader, signal: AbortSignal) {
  const decoder = new TextDecoder();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let start = '';
  let size = 0;
  let isDone = false;
  const stopListening = whenAborted(signal, () => void reader.cancel().catch(() => undefined));
  try {
    while (!isDone && start.length < 8 && size < maxPeekBytes) {
      const { done, value } = await reader.read();
      isDone = done;
      if (value) {
        size += value.length;
        pieces.push(new Uint8Array(value));
        start = (start + decoder.decode(value, { stream: true })).trimStart();
      }
    }
  } catch {
    isDone = true;
  } finally {
    stopListening();
  }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece = pieces.shift();
        if (piece) return controller.enqueue(piece);
        const { done, value } = isDone ? { done: true } : await reader.read();
        if (value) controller.enqueue(new Uint8Array(value));
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { start, body };
}
