import type { ResponseMeta } from '../wire/types/meta.ts';
import type { SchemaIssue } from '../wire/types/standard-schema.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

/** Details passed to the constructor of {@link ResponseValidationError}. */
export interface ResponseValidationDetails extends ErrorDetails {
  /** Metadata parsed from the response headers. */
  meta: ResponseMeta;
  /** Response body: parsed JSON, or the raw text if it is not JSON. */
  body: unknown;
  /** Validation issues. The client's own schemas report only the first. */
  issues?: readonly SchemaIssue[] | undefined;
}

/**
 * The service responded with a success status, but the body is invalid: not JSON, too large, not the expected record, or a
 * result that is no media.
 */
export class ResponseValidationError extends PolygateError {
  static override readonly className: string = 'ResponseValidationError';

  /** Metadata parsed from the response headers, including the charge and the task id if the service sent them. */
  declare readonly meta: ResponseMeta;
  /** Response body: parsed JSON, or the raw text if it is not JSON. */
  declare readonly body: unknown;
  /** `no_media` if the result of a task is empty, an HTML page, JSON, or XML other than an SVG image. */
  declare readonly code?: string;
  /** Validation issues. The client's own schemas report only the first. */
  declare readonly issues: readonly SchemaIssue[];

  constructor(message: string, details: ResponseValidationDetails) {
    super(message, { ...details, issues: details.issues ?? [] });
  }
}
