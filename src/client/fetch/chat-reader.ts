import { AbortedError } from '../../errors/call.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { textOf } from '../../wire/types/type-guards.ts';
import type { ResponseContext, ResponseHandler } from '../call/response.ts';
import { garbage } from '../http/garbage.ts';
import { createResponse } from '../http/response-body.ts';
import type { ChunkReader } from '../stream/chunk-reader.ts';
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
): (context: ResponseContext, onFailure?: OnFailure) => Promise<Response> {
  return async (context, onFailure) => {
    const { response, meta, span } = context;
    if (isStreamed) {
      const reader = await readStream(context, choiceCount, signal);
      return ofType(response, 'text/event-stream', toEvents(reader, onFailure));
    }
    const completion = await readCompletion(context);
    // With equal ids, a result could belong to any of several calls.
    for (const choice of completion.choices) choice.message = withSentCalls(choice.message, []);
    span?.end({ data: completion, meta });
    return ofType(response, 'application/json', JSON.stringify(completion));
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
  return async (context) => {
    try {
      return await read(context);
    } catch (error) {
      const { response, meta, span } = context;
      span?.end({ error, meta });
      const failed = new ReadableStream({ pull: (controller) => controller.error(error) });
      return ofType(response, 'text/event-stream', failed);
    }
  };
}

function ofType(response: Response, type: string, body: ReadableStream<Uint8Array> | string) {
  const headers = new Headers(response.headers);
  headers.set('content-type', type);
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
