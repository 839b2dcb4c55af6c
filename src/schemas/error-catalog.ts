import * as z from 'zod/mini';

import { errorBodyRecord } from './error-codes.ts';
import type { ErrorBody, ErrorCode, ErrorType } from './error-codes.ts';
import { recordSchema, openString } from './record-schema.ts';
import { responseSchema } from './schema.ts';
import type { Open } from './schema.ts';

/** When to try again. Specification: Public endpoints, GET /errors/{code}; assumption A16. */
export interface ErrorRetry {
  /** Whether it can help to try again. */
  retryable?: boolean | undefined;
  /** How to try again, in a word. */
  strategy?: string | undefined;
  /** How often to try at most. */
  maxAttempts?: number | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * An example of an error answer. Specification: Public endpoints, GET /errors/{code}; assumption
 * A16.
 */
export interface ErrorExample {
  /** What went wrong. */
  error?: ErrorBody | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * What an error code means. Specification: Public endpoints, GET /errors/{code}; assumption A16.
 */
export interface ErrorDetail {
  /** Kind of record. */
  object?: Open<'error.detail'> | undefined;
  /** The code. */
  code?: ErrorCode | undefined;
  /** The HTTP status that comes with it. */
  httpStatus?: number | undefined;
  /** The class of the error. */
  type?: ErrorType | undefined;
  /** The code in a few words, for people. */
  title?: string | undefined;
  /** When to try again. */
  retry?: ErrorRetry | undefined;
  /** An example of the answer. */
  example?: ErrorExample | undefined;
  /** Where to find help. */
  support?: string | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** Every error code. Specification: Public endpoints, GET /errors; assumption A16. */
export interface ErrorCatalog {
  /** Kind of record. */
  object?: Open<'error.catalog'> | undefined;
  /** The codes. */
  data?: ErrorDetail[] | undefined;
  /** Fields the service adds are kept. */
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

export const errorDetailSchema = /* @__PURE__ */ responseSchema<ErrorDetail>({});

export const errorCatalogRecord = /* @__PURE__ */ (() =>
  recordSchema<ErrorCatalog>({
    object: z.optional(openString<'error.catalog'>()),
    data: z.optional(z.array(errorDetailRecord)),
  }))();

export const errorCatalogSchema = /* @__PURE__ */ responseSchema<ErrorCatalog>({});
