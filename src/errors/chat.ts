import type { ChatCompletion } from '../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../wire/types/meta.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails, ErrorReason } from './base.ts';
import { ResponseValidationError } from './responses.ts';

/** Details passed to the constructor of {@link StreamError}. */
export interface StreamErrorDetails extends ErrorDetails {
  /** Metadata parsed from the response headers. */
  meta?: ResponseMeta | undefined;
  /** Completion accumulated from the chunks received so far. */
  partial?: ChatCompletion | undefined;
  /** Machine-readable error code, if the service sent an error object. */
  code?: string | undefined;
  /** Error type, if the service sent an error object. */
  type?: string | undefined;
}

/**
 * A stream failed after its headers arrived: the service reported a failure, or sent data that is not a valid chunk or an
 * event larger than `maxEventBytes`. Or a choice of a completion that was not streamed contains an error. The request may
 * have been charged.
 */
export class StreamError extends PolygateError {
  static override readonly className: string = 'StreamError';
  static override readonly reason: ErrorReason = 'malformed';

  /** Metadata parsed from the response headers. */
  declare readonly meta?: ResponseMeta;
  /** Completion accumulated from the chunks received so far. */
  declare readonly partial?: ChatCompletion;
  /** Machine-readable error code, if the service sent an error object. */
  declare readonly code?: string;
  /** Error type, if the service sent an error object. */
  declare readonly type?: string;

  constructor(message: string, details?: StreamErrorDetails) {
    super(message, details);
  }
}

/**
 * The stream ended before `[DONE]` and before every choice had a `finish_reason`. `partial` holds the content received
 * so far. The request may have been charged.
 */
export class StreamTruncatedError extends StreamError {
  static override readonly className: string = 'StreamTruncatedError';
  static override readonly reason: ErrorReason = 'lost';
}

/**
 * The stream sent no bytes for `streamIdleTimeout`. `partial` holds the content received so far. The request may have
 * been charged.
 */
export class StreamIdleTimeoutError extends StreamError {
  static override readonly className: string = 'StreamIdleTimeoutError';
  static override readonly reason: ErrorReason = 'timeout';
}

/** Why a completion could not be parsed with the schema. */
export type StructuredOutputFailure = 'refused' | 'length' | 'content_filter' | 'mismatch';

/**
 * The completion does not match the schema in `response_format`: the model refused, the output was cut off by the token
 * limit or a content filter, or the text is not JSON or fails validation. `issues` lists the problems. The completion
 * may have been charged.
 */
export class StructuredOutputError extends ResponseValidationError {
  static override readonly className: string = 'StructuredOutputError';
  static override readonly reason: ErrorReason = 'mismatch';

  /**
   * `refused`: the model refused. `length`: the token limit was reached. `content_filter`: the output was filtered.
   * `mismatch`: the text is not JSON or does not match the schema.
   */
  declare readonly reason: StructuredOutputFailure;
  /** The raw text of the first choice, or the refusal message. */
  declare readonly text: string;
  /** The full completion, with usage, finish reason and reasoning. */
  declare readonly completion: ChatCompletion;
}

/**
 * The model still called tools after `maxRounds` requests, or its tool calls were cut off by the token limit or a content
 * filter. `run` holds the conversation, which ends with the tool calls that were not executed, and the total charge.
 */
export class ToolRoundsError extends PolygateError {
  static override readonly className: string = 'ToolRoundsError';
  static override readonly reason: ErrorReason = 'rounds';
}
