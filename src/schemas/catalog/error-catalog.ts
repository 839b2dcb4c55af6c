import * as z from 'zod/mini';

import type {
  ErrorCatalog,
  ErrorDetail,
  ErrorExample,
  ErrorRetry,
} from '../../types/catalog/error-catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';
import { errorBodyRecord } from './error-codes.ts';

export const errorDetailRecord = recordSchema<ErrorDetail>({
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
});

export const errorCatalogRecord = recordSchema<ErrorCatalog>({
  object: z.optional(openString<'error.catalog'>()),
  data: z.optional(z.array(errorDetailRecord)),
});
