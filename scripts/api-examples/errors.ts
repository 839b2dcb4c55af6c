/** Examples of the API reference for what the errors of `polygate` have. */
import {
  AbortedError,
  APIError,
  ConnectionError,
  PolygateError,
  ResponseValidationError,
  StreamError,
  StructuredOutputError,
} from 'polygate';
import type { ErrorCode, ErrorDetails, ErrorReason, KnownErrorCode, Polygate } from 'polygate';

declare const gateway: Polygate;
declare const error: unknown;

// For APIErrorDetails, ErrorCode, ErrorType, KnownErrorCode
export function handleCode() {
  if (!APIError.is(error)) throw error;
  const missing: KnownErrorCode = 'model_not_found';
  if (error.code === missing) console.log('Choose another model');
  else console.log(error.type, error.code, error.meta.requestId);
}

// For ErrorReason
export function isWorthRetrying(reason: ErrorReason | undefined) {
  return reason === 'unavailable' || reason === 'rate-limit' || reason === 'slot';
}

// For ErrorBody, ErrorEnvelope
export function readBody() {
  if (APIError.is(error)) console.log(error.body); // { error: { code, message, type } }
}

// For ErrorDetails
export function makeError() {
  const details: ErrorDetails = { outcome: 'not-sent', cause: error };
  return new ConnectionError('The test has no network', details);
}

// For ResponseValidationDetails
export function showIssues() {
  if (ResponseValidationError.is(error)) console.log(error.issues, error.body);
}

// For StreamErrorDetails
export function showPartial() {
  if (StreamError.is(error)) console.log(error.partial?.choices[0]?.message.content);
}

// For StructuredOutputFailure
export function explainMismatch() {
  if (StructuredOutputError.is(error) && error.reason === 'length') console.log('Raise max_tokens');
}

// For OpenRow
export function listOpenRows() {
  if (!AbortedError.is(error)) throw error;
  for (const row of error.rows ?? []) console.log(row.id, row.outcome, row.task?.id);
}

// For ModelAttempt
export function listAttempts() {
  if (!PolygateError.is(error)) throw error;
  for (const { model, code, outcome } of error.attempts ?? []) console.log(model, code, outcome);
}

// For ErrorCatalog, ErrorDetail, ErrorExample, ErrorRetry
export async function describeErrors() {
  const { data = [] } = await gateway.public.errors();
  for (const { code, title, retry, example } of data)
    console.log(code, title, retry?.retryable, example?.error?.message);
}

export async function explain(code: ErrorCode) {
  return gateway.public.error(code);
}
