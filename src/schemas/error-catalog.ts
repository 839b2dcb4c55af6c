import * as z from 'zod/mini';

import { errorBodyRecord } from './error-codes.ts';
import type { ErrorBody, ErrorCode, ErrorType } from './error-codes.ts';
import { recordSchema, openString } from './record-schema.ts';
import type { OpenString } from './schema.ts';

/** Retry policy of an error code. Specification: Public endpoints, GET /errors/{code}; assumption A16. */
export interface ErrorRetry {
  /** Whether a retry can succeed. */
  retryable?: boolean | undefined;
  /** Name of the recommended retry strategy. */
  strategy?: string | undefined;
  /** Maximum number of attempts. */
  maxAttempts?: number | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Example of an error response. Specification: Public endpoints, GET /errors/{code}; assumption A16. */
export interface ErrorExample {
  /** Error details. */
  error?: ErrorBody | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Description of one error code. Specification: Public endpoints, GET /errors/{code}; assumption A16. */
export interface ErrorDetail {
  /** Record type. */
  object?: OpenString<'error.detail'> | undefined;
  /** Error code. */
  code?: ErrorCode | undefined;
  /** HTTP status of responses with this code. */
  httpStatus?: number | undefined;
  /** Error type. */
  type?: ErrorType | undefined;
  /** Short human-readable title. */
  title?: string | undefined;
  /** Retry policy. */
  retry?: ErrorRetry | undefined;
  /** Example response. */
  example?: ErrorExample | undefined;
  /** Support guidance. */
  support?: string | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Catalog of all error codes. Specification: Public endpoints, GET /errors; assumption A16. */
export interface ErrorCatalog {
  /** Record type. */
  object?: OpenString<'error.catalog'> | undefined;
  /** Error codes. */
  data?: ErrorDetail[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

export const errorDetailRecord = /* @__PURE__ */ (() =>
  recordSchema<ErrorDetail>({
    object: z.optional(openString<'error.detail'>()),
    code: z.optional(openString<'internal_error'>()),
    httpStatus: z.optional(z.number()),
    type: z.optional(openString<'api_error'>()),
    title: z.optional(z.string()),
    retry: z.optional(
      recordSchema<ErrorRetry>({
        retryable: z.optional(z.boolean()),
        strategy: z.optional(z.string()),
        maxAttempts: z.optional(z.number()),
      }),
    ),
    example: z.optional(recordSchema<ErrorExample>({ error: z.optional(errorBodyRecord) })),
    support: z.optional(z.string()),
  }))();

export const errorCatalogRecord = /* @__PURE__ */ (() =>
  recordSchema<ErrorCatalog>({
    object: z.optional(openString<'error.catalog'>()),
    data: z.optional(z.array(errorDetailRecord)),
  }))();
