import type { StreamError } from '../../errors/stream.ts';
import type { ChatCompletionChunk } from '../../types/chat/completion.ts';
import type { ResponseContext } from '../call/response.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { createAccumulator } from '../stream/accumulator.ts';
import type { Accumulator } from '../stream/accumulator.ts';
import { parseChunk, reportedError, tooLargeProblem } from '../stream/chunk.ts';
import { Completeness, isDone, truncated } from '../stream/completeness.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';
import type { EventDecoder, StreamEvent } from '../stream/event-decoder.ts';

/**
 * Creates the check of a streamed chat, whose bytes are passed on as they are. The stream must be complete, as
 * {@link Completeness} defines it, unless the service has reported an error in it. Everything else in its events is left to
 * the caller.
 */
export function checkChat(choiceCount: number): (context: ResponseContext) => BodyCheck {
  return (context) => {
    const check = new ChatCheck(context, choiceCount);
    return (bytes, error) => check.add(bytes, error);
  };
}

class ChatCheck {
  readonly #context: ResponseContext;
  readonly #decode: EventDecoder;
  readonly #completeness: Completeness;
  /** The first error that the service has reported in the stream. */
  #reported: StreamError | undefined;
  /** Created by the first chunk. Only for telemetry: nothing else needs the completion. */
  #accumulator: Accumulator | undefined;

  constructor(context: ResponseContext, choiceCount: number) {
    this.#context = context;
    this.#decode = createEventDecoder(context.config.maxEventBytes);
    this.#completeness = new Completeness(choiceCount);
  }

  /** Checks what one read has returned. Returns whether the stream is complete. */
  add(bytes: Uint8Array | undefined, error: unknown): boolean {
    const { errors, meta, span } = this.#context;
    const events = error === undefined ? this.#decode(bytes) : [];
    const isComplete = events.some((event) => this.#checkEvent(event));
    if (!isComplete && bytes !== undefined) return false;
    if (isComplete || this.#reported || this.#completeness.isProven) {
      span?.end({ error: this.#reported, data: this.#accumulator?.completion, meta });
      return true;
    }
    throw truncated(errors, error);
  }

  /** Returns whether the event is the last one. */
  #checkEvent(event: StreamEvent): boolean {
    if (isDone(event)) return true;
    const { errors, config } = this.#context;
    const chunk = parseChunk(event);
    if (chunk) this.#addChunk(chunk);
    else if (event.data === undefined) {
      throw errors.invalidStream(tooLargeProblem(config.maxEventBytes));
    } else {
      this.#reported ??= reportedError(errors, event);
    }
    return false;
  }

  #addChunk(chunk: ChatCompletionChunk): void {
    const { span } = this.#context;
    this.#completeness.add(chunk);
    if (!span) return;
    if (!this.#accumulator) span.event({ type: 'first-chunk' });
    this.#accumulator ??= createAccumulator();
    this.#accumulator.add(chunk);
  }
}
