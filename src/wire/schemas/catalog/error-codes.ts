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
