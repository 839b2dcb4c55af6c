import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';

export const errorBodyRecord = recordSchema(docs.errorBody, {
  message: z.string(),
  type: openString<'api_error'>(),
  code: openString<'internal_error'>(),
  param: z.nullish(z.string()),
});

export const errorEnvelopeRecord = recordSchema(docs.errorEnvelope, { error: errorBodyRecord });

export const keyBalanceErrorEnvelopeRecord = recordSchema(docs.keyBalanceErrorEnvelope, {
  success: z.literal(false),
  message: z.string(),
});

export const errorDetailRecord = recordSchema(docs.errorDetail, {
  object: z.optional(openString<'error.detail'>()),
  code: z.optional(openString<'internal_error'>()),
  httpStatus: z.optional(z.number()),
  type: z.optional(openString<'api_error'>()),
  title: z.optional(z.string()),
  retry: z.optional(
    recordSchema(docs.errorRetry, {
      retryable: z.optional(z.boolean()),
      strategy: z.optional(z.string()),
      maxAttempts: z.optional(z.number()),
    }),
  ),
  example: z.optional(recordSchema(docs.errorExample, { error: z.optional(errorBodyRecord) })),
  support: z.optional(z.string()),
});

export const errorCatalogRecord = recordSchema(docs.errorCatalog, {
  object: z.optional(openString<'error.catalog'>()),
  data: z.optional(z.array(errorDetailRecord)),
});
