import type { ChatCompletion } from '../schemas/chat-completion.ts';
import { ResponseValidationError } from './response-validation.ts';

/** Why an answer has no form that the schema accepts. */
export type StructuredOutputFailure = 'refused' | 'length' | 'content_filter' | 'mismatch';

/**
 * The model answered, but not what the schema of the call wants: it refused, was cut short by its limit of tokens or by
 * a filter, or its text does not fit or is no JSON at all. The answer was charged; `issues` tell what is wrong.
 */
export class StructuredOutputError extends ResponseValidationError {
  static override readonly className: string = 'StructuredOutputError';

  /** Why: `length` is the limit of tokens, `mismatch` a text that is no JSON or does not fit. */
  declare readonly reason: StructuredOutputFailure;
  /** What the model wrote, as it wrote it; of a refusal, its words. */
  declare readonly text: string;
  /** The whole answer: usage, finish reason, reasoning. */
  declare readonly completion: ChatCompletion;
}
