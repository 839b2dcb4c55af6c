import type { ChatCompletion } from '../wire/types/chat/completion.ts';
import { ResponseValidationError } from './response-validation.ts';

/** Why a completion could not be parsed with the schema. */
export type StructuredOutputFailure = 'refused' | 'length' | 'content_filter' | 'mismatch';

/**
 * The completion does not match the schema in `response_format`: the model refused, the output was cut off by the token
 * limit or a content filter, or the text is not JSON or fails validation. `issues` lists the problems. The completion
 * may have been charged.
 */
export class StructuredOutputError extends ResponseValidationError {
  static override readonly className: string = 'StructuredOutputError';

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
