import * as z from 'zod/mini';

import type {
  ErrorBody,
  ErrorEnvelope,
  KeyBalanceErrorEnvelope,
} from '../../types/catalog/error-codes.ts';
import { openString, recordSchema } from '../record-schema.ts';

export const errorBodyRecord = recordSchema<ErrorBody>({
  message: z.string(),
  type: openString<'api_error'>(),
  code: openString<'internal_error'>(),
  param: z.nullish(z.string()),
});

export const errorEnvelopeRecord = recordSchema<ErrorEnvelope>({ error: errorBodyRecord });

export const keyBalanceErrorEnvelopeRecord = recordSchema<KeyBalanceErrorEnvelope>({
  success: z.literal(false),
  message: z.string(),
});
