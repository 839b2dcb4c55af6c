import type { ChatCompletion } from '../schemas/chat-completion.ts';
import { ResponseValidationError } from './response-validation.ts';

/** Why an answer has no form that the schema accepts. */
export type AnswerFormatReason = 'refused' | 'length' | 'content_filter' | 'not-json' | 'mismatch';

/**
 * The model answered, but not what the schema of the call wants: it refused, was cut short by its limit of tokens or by
 * a filter, or its text is no JSON or does not fit. The answer was charged; `issues` tell what does not fit.
 */
export class AnswerFormatError extends ResponseValidationError {
  static override readonly className: string = 'AnswerFormatError';

  /** Why: `length` is the limit of tokens, `mismatch` what the schema says. */
  declare readonly reason: AnswerFormatReason;
  /** What the model wrote, as it wrote it; of a refusal, its words. */
  declare readonly text: string;
  /** The whole answer: usage, finish reason, reasoning. */
  declare readonly completion: ChatCompletion;
}
