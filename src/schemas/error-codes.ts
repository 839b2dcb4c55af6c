import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import type { Open } from './schema.ts';

/** Every code that is documented or assumed. Specification: Errors, Codes; assumption A9. */
export type KnownErrorCode =
  // No API key was supplied.
  | 'api_key_required'
  // The API key is unknown.
  | 'invalid_api_key'
  // The API key is disabled.
  | 'api_key_disabled'
  // A required field is missing, or a voice is out of reach or does not fit the model.
  | 'invalid_request_parameter'
  // The wallet cannot pay for the request.
  | 'insufficient_balance'
  // No such model.
  | 'model_not_found'
  // No such task, or another user's.
  | 'task_not_found'
  // The concurrency limit is reached.
  | 'concurrency_limit_exceeded'
  // The service failed.
  | 'internal_error'
  // The service is unavailable.
  | 'service_unavailable'
  // The idempotency key is missing or malformed.
  | 'invalid_idempotency_key'
  // A material's url, type or name, or a query parameter, is wrong.
  | 'invalid_material_request'
  // `after` does not come from the material list.
  | 'invalid_material_cursor'
  // The material service is unavailable for now, or the model takes no materials.
  | 'material_channel_unavailable'
  // The idempotency key was used for another request.
  | 'material_idempotency_conflict'
  // No such material, another user's, or one that has expired.
  | 'material_not_found'
  // The material is not available: not yet, expired or deleted.
  | 'material_not_available'
  // The `asset://` URI is not in the caller's library.
  | 'material_not_managed'
  // Whether the material was created is uncertain; the service finds out by itself.
  | 'material_create_outcome_uncertain'
  // The consent of the real person is not confirmed.
  | 'visual_verification_consent_required'
  // The type or the callback URL of real-person media is wrong.
  | 'invalid_visual_verification_request'
  // Whether the verification was started is uncertain; no second one is started.
  | 'visual_verification_create_outcome_uncertain';

/** A machine-readable reason: the known codes autocomplete, any string is allowed. */
export type ErrorCode = Open<KnownErrorCode>;

/** A class of errors in the service's words. Specification: Errors; assumption A9. */
export type ErrorType = Open<
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'billing_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'api_error'
>;

/** What went wrong. Specification: Errors. */
export interface ErrorBody {
  /** What went wrong, for people; it holds public information only. */
  message: string;
  /** The class of the error. */
  type: ErrorType;
  /** The machine-readable reason. */
  code: ErrorCode;
  /** The field that is to blame, where a service names it. */
  param?: string | null | undefined;
}

/** The body of an error answer. Specification: Errors. */
export interface ErrorEnvelope {
  /** What went wrong. */
  error: ErrorBody;
}

/** The body of an error answer to the key balance. Specification: Errors. */
export interface KeyBalanceErrorEnvelope {
  /** Always false. */
  success: false;
  /** What went wrong, such as `Invalid token`. */
  message: string;
}

export const errorBodyRecord = /* @__PURE__ */ (() =>
  recordSchema<ErrorBody>({
    message: z.string(),
    type: openString<'api_error'>(),
    code: openString<'internal_error'>(),
    param: z.nullish(z.string()),
  }))();

export const errorEnvelopeRecord = /* @__PURE__ */ (() =>
  recordSchema<ErrorEnvelope>({ error: errorBodyRecord }))();

export const keyBalanceErrorEnvelopeRecord = /* @__PURE__ */ (() =>
  recordSchema<KeyBalanceErrorEnvelope>({ success: z.literal(false), message: z.string() }))();
