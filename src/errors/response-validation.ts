import type { ResponseMeta } from '../schemas/meta.ts';
import type { SchemaIssue } from '../schemas/standard-schema.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

/** What a {@link ResponseValidationError} is made of. */
export interface ResponseValidationDetails extends ErrorDetails {
  /** Headers of the answer, parsed. */
  meta: ResponseMeta;
  /** The body: parsed JSON, else the text. */
  body: unknown;
  /** What is wrong, field by field. */
  issues?: readonly SchemaIssue[] | undefined;
}

/** The service said yes, but its answer is not what it must be. */
export class ResponseValidationError extends PolygateError {
  static override readonly className: string = 'ResponseValidationError';

  /** Headers of the answer, parsed: the task id and the charge are there. */
  declare readonly meta: ResponseMeta;
  /** The body: parsed JSON, else the text. */
  declare readonly body: unknown;
  /** What is wrong, field by field. */
  declare readonly issues: readonly SchemaIssue[];

  constructor(message: string, details: ResponseValidationDetails) {
    super(message, { ...details, issues: details.issues ?? [] });
  }
}
