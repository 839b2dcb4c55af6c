// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { ErrorBody, ErrorCatalog, ErrorDetail, ErrorEnvelope, ErrorExample, ErrorRetry, KeyBalanceErrorEnvelope } from '../../types/catalog/errors.ts';

export const errorBody: Schema<ErrorBody> = recordSchema({
  message: ["Human-readable message; contains only public information.", z.string()],
  type: ["Error type.", openString("invalid_request_error", "authentication_error", "permission_error", "billing_error", "not_found_error", "rate_limit_error", "api_error")],
  code: ["Machine-readable error code.", openString("api_key_required", "invalid_api_key", "api_key_disabled", "invalid_request_parameter", "insufficient_balance", "model_not_found", "task_not_found", "concurrency_limit_exceeded", "internal_error", "service_unavailable", "invalid_idempotency_key", "idempotency_conflict", "invalid_material_request", "invalid_material_cursor", "material_channel_unavailable", "material_idempotency_conflict", "material_not_found", "material_not_available", "material_not_managed", "material_create_outcome_uncertain", "visual_verification_consent_required", "invalid_visual_verification_request", "visual_verification_create_outcome_uncertain", "attempt_repeated", "user_limit_exceeded")],
  param: ["Name of the invalid field, if the service reports it.", z.nullish(z.string())],
});

export const errorBodyKeywords = {
  "type": {
    "example": "invalid_request_error"
  },
  "code": {
    "example": "invalid_request_parameter"
  }
} as const;

export const errorEnvelope: Schema<ErrorEnvelope> = recordSchema({
  error: ["Error details.", errorBody],
});

export const keyBalanceErrorEnvelope: Schema<KeyBalanceErrorEnvelope> = recordSchema({
  success: ["Always false.", z.literal(false)],
  message: ["Error message, such as `Invalid token`.", z.string()],
});

const errorRetry: Schema<ErrorRetry> = recordSchema({
  retryable: ["Whether a retry can succeed.", z.optional(z.boolean())],
  strategy: ["Name of the recommended retry strategy.", z.optional(z.string())],
  maxAttempts: ["Maximum number of attempts.", z.optional(z.number())],
});

const errorExample: Schema<ErrorExample> = recordSchema({
  error: ["Error details.", z.optional(errorBody)],
});

export const errorDetail: Schema<ErrorDetail> = recordSchema({
  object: ["Record type.", z.optional(openString("error.detail"))],
  code: ["Error code.", z.optional(openString("api_key_required", "invalid_api_key", "api_key_disabled", "invalid_request_parameter", "insufficient_balance", "model_not_found", "task_not_found", "concurrency_limit_exceeded", "internal_error", "service_unavailable", "invalid_idempotency_key", "idempotency_conflict", "invalid_material_request", "invalid_material_cursor", "material_channel_unavailable", "material_idempotency_conflict", "material_not_found", "material_not_available", "material_not_managed", "material_create_outcome_uncertain", "visual_verification_consent_required", "invalid_visual_verification_request", "visual_verification_create_outcome_uncertain", "attempt_repeated", "user_limit_exceeded"))],
  httpStatus: ["HTTP status of responses with this code.", z.optional(z.number())],
  type: ["Error type.", z.optional(openString("invalid_request_error", "authentication_error", "permission_error", "billing_error", "not_found_error", "rate_limit_error", "api_error"))],
  title: ["Short human-readable title.", z.optional(z.string())],
  retry: ["Retry policy.", z.optional(errorRetry)],
  example: ["Example response.", z.optional(errorExample)],
  support: ["Support guidance.", z.optional(z.string())],
});

export const errorCatalog: Schema<ErrorCatalog> = recordSchema({
  object: ["Record type.", z.optional(openString("error.catalog"))],
  data: ["Error codes.", z.optional(z.array(errorDetail))],
});
