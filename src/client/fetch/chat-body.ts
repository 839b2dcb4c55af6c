import { AbortedError } from '../../errors/call.ts';
import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { textOf } from '../../wire/types/type-guards.ts';
import type { ReceivedResponse, ResponseHandler } from '../call/response.ts';
import { garbage } from '../config/environment.ts';
import { singleLine } from '../http/json.ts';
import { createResponse } from '../http/response-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { createAccumulator } from '../stream/accumulator.ts';
import type { Accumulator } from '../stream/accumulator.ts';
import type { ChunkReader } from '../stream/chunk-reader.ts';
import { parseChunk, CompleteMessages } from '../stream/chunk.ts';
import { Completeness } from '../stream/completeness.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';
import { isDone, isKeepAlive, isStandardError, reportedError } from '../stream/other-events.ts';
import type { StreamEvent } from '../stream/other-events.ts';
import { readCompletion } from '../stream/read-completion.ts';
import { readStream } from '../stream/read-stream.ts';
import { withSentCalls } from '../stream/sent-calls.ts';
import type { DescribedChat } from './describe-call.ts';

/** Receives the client's error for a stream that has failed. */
type OnFailure = (error: unknown) => void;

/**
 * Reads a chat as a method of the client does, and passes it on in the documented form, for readers that understand no
 * other. A failure of a stream is the client's error. With `onFailure`, it is sent as an event instead: a stream that fails
 * loses what waits between its transforms.
 */
export function chatReader(
  { choiceCount, isStreamed }: DescribedChat,
  signal: AbortSignal | undefined,
): (received: ReceivedResponse, onFailure?: OnFailure) => Promise<Response> {
  return async (received, onFailure) => {
    const { call, response, meta } = received;
    if (isStreamed) {
      const reader = await readStream(received, choiceCount, signal);
      return withHeader(response, 'content-type', 'text/event-stream', toEvents(reader, onFailure));
    }
    const completion = await readCompletion(received);
    // With equal ids, a result could belong to any of several calls.
    for (const choice of completion.choices) choice.message = withSentCalls(choice.message, []);
    call.span?.end({ data: completion, meta });
    return withHeader(response, 'content-type', 'application/json', JSON.stringify(completion));
  };
}

/**
 * Passes on the body of a streamed chat that is no event stream: a completion as an event stream, and anything else as one that
 * fails. The reader of a stream would find nothing in it, and end without an error; and after a rejection, libraries repeat the
 * request, which may have been charged.
 */
export function otherTypeReader(
  chat: DescribedChat,
  signal: AbortSignal | undefined,
): ResponseHandler<Response> {
  const read = chatReader(chat, signal);
  return async (received) => {
    try {
      return await read(received);
    } catch (error) {
      const { call, response, meta } = received;
      call.span?.end({ error, meta });
      const failed = new ReadableStream({ pull: (controller) => controller.error(error) });
      return withHeader(response, 'content-type', 'text/event-stream', failed);
    }
  };
}

/** A copy of a response with another value of a header, and another body if one is given. */
export function withHeader(
  response: Response,
  name: string,
  value: string,
  body: ReadableStream<Uint8Array> | string | null = response.body,
): Response {
  const headers = new Headers(response.headers);
  headers.set(name, value);
  const { status, statusText, url } = response;
  return createResponse(body, { status, statusText, headers }, url);
}

function toEvents(
  reader: ChunkReader,
  onFailure: OnFailure | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const next = () =>
    reader.next().catch((error: unknown) => {
      if (!onFailure || AbortedError.is(error)) throw error;
      onFailure(error);
    });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const result = await next();
        if (result === undefined) {
          const message = 'The stream failed.';
          controller.enqueue(encoder.encode(`data: ${JSON.stringify({ error: { message } })}\n\n`));
          return controller.close();
        }
        const { done, value } = result;
        let text = done ? 'data: [DONE]\n\n' : '';
        // What arrived together is sent together.
        for (let chunk = value; chunk !== undefined; chunk = reader.takeBuffered()) {
          const { id, created } = chunk;
          // An empty error would count as one, and strict readers reject other types of these fields.
          const strict = {
            error: undefined,
            id: textOf(id),
            created: Number(unchecked<unknown>(created)) || undefined,
          };
          const sent = { ...chunk, ...strict };
          text += `data: ${JSON.stringify(sent)}\n\n`;
        }
        controller.enqueue(encoder.encode(text));
        if (done) controller.close();
      },
      cancel: (reason) => reader.abort(reason),
    },
    { highWaterMark: 0 },
  );
  garbage?.register(stream, () => reader.abandon());
  return stream;
}

/**
 * Creates the check of a streamed chat, whose bytes are passed on as they are: the stream must be complete, as
 * {@link Completeness} defines it. Everything else in its events is left to the caller.
 */
export function checkChat(choiceCount: number): (received: ReceivedResponse) => BodyCheck {
  return ({ call, meta }) => {
    const { config, span } = call;
    const { maxEventBytes } = config;
    const decode = createEventDecoder(maxEventBytes, (data) => {
      // The reader of an event stream would find nothing in it, and end without an error.
      throw (
        reportedError(call, { data }) ??
        call.invalidStream(`expected an event stream, received JSON: ${singleLine(data)}`)
      );
    });
    const completeness = new Completeness(choiceCount);
    const messages = new CompleteMessages();
    /** Created by the first chunk. Only for telemetry: nothing else needs the completion. */
    let accumulator: Accumulator | undefined;

    return (bytes, error, deliver) => {
      const events = error === undefined ? decode(bytes) : [];
      let event: StreamEvent | undefined;
      try {
        for (event of events) if (addEvent(event)) return end('done');
        return bytes === undefined ? end('body', error) : false;
      } catch (failure) {
        // A reader that has received the end of the stream would not read on, and miss the failure.
        const part = bytes && (partBefore(bytes, completeness.suspect) ?? partBefore(bytes, event));
        if (part?.length) deliver?.(part);
        throw failure;
      }
    };

    function end(how: 'done' | 'body', lost?: unknown): true {
      const failure = completeness.errorAtEnd(call, how, lost);
      if (failure) throw failure;
      span?.end({ error: completeness.reported, data: accumulator?.completion, meta });
      return true;
    }

    /** Returns whether the event is the last one. */
    function addEvent(event: StreamEvent): boolean {
      const chunk = parseChunk(event);
      if (chunk) addChunk(chunk);
      else if (isDone(event)) return true;
      else if (!isKeepAlive(event)) addOther(event);
      return false;
    }

    function addOther(event: StreamEvent): void {
      const judged = completeness.judge(call, event, maxEventBytes);
      if (judged === 'ignored') return;
      // Readers of the stream would not find it.
      if (judged && (event.data === undefined || !isStandardError(event))) throw judged;
      completeness.addError(judged);
    }

    function addChunk(chunk: ChatCompletionChunk): void {
      completeness.add(chunk);
      const { suspect } = completeness;
      if (suspect && chunk.choices.length > 0) completeness.continueAfter(suspect, config.log);
      if (!span) return;
      messages.addDeltas(chunk, () => accumulator?.completion);
      if (!accumulator) span.event({ type: 'first-chunk' });
      (accumulator ??= createAccumulator()).add(chunk);
    }
  };
}

/** The bytes before the line with the data of an event; undefined if it is not in them. */
function partBefore(bytes: Uint8Array, event: StreamEvent | undefined): Uint8Array | undefined {
  const [line = ''] = event?.data?.split('\n') ?? [];
  // One character per byte.
  const latin1 = new TextDecoder('latin1');
  const text = latin1.decode(bytes);
  const position = line === '' ? -1 : text.indexOf(latin1.decode(new TextEncoder().encode(line)));
  if (position < 0) return undefined;
  const before = text.slice(0, position);
  return bytes.subarray(0, Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
}
