import {
  APIError,
  BudgetExceededError,
  PolygateError,
  RateLimitError,
  ResponseValidationError,
} from 'polygate';
import type { RequestPromise, ResponseMeta } from 'polygate';

import type { Finding } from './check.ts';

/** What the service sent in place of a result. */
export interface ErrorResponse {
  readonly meta: ResponseMeta;
  readonly body: unknown;
}

/** The response that an error was made of, if there was one. */
export function errorResponse(error: unknown): ErrorResponse | undefined {
  return APIError.is(error) || ResponseValidationError.is(error) ? error : undefined;
}

/** The response to a request, whether it succeeds or not. An error without a response is thrown. */
export async function responseOf(request: RequestPromise<unknown>): Promise<ErrorResponse> {
  try {
    const { data, meta } = await request.withResponse();
    return { meta, body: data };
  } catch (error) {
    const response = errorResponse(error);
    if (response === undefined) throw error;
    return response;
  }
}

/** The HTTP status of an error response. */
export function statusOf(error: unknown): number | undefined {
  return APIError.is(error) ? error.status : undefined;
}

/** Describes an error as a finding. */
export function describeFailure(error: unknown): Pick<Finding, 'status' | 'detail' | 'advice'> {
  const detail = messageOf(error);
  if (RateLimitError.is(error)) {
    const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000);
    const advice = `Run doctor again ${seconds > 0 ? `in ${seconds} s` : 'later'}, while nothing else uses the account.`;
    return { status: 'skipped', detail: `Rate limited: ${detail}`, advice };
  }
  if (BudgetExceededError.is(error)) return { status: 'skipped', detail };
  return { status: 'failed', detail };
}

/** The message of an error, without advice that does not apply to a diagnosis. */
export function messageOf(error: unknown): string {
  if (!PolygateError.is(error)) return `Unexpected error: ${String(error)}`;
  return error.message
    .replace(' To check the service, run npx polygate doctor.', '')
    .replace('; retry with error.idempotencyKey to avoid a second charge', '');
}

/** The result of a request to an endpoint that may be missing, or that a proxy may not forward; otherwise, a finding. */
export async function ifAvailable<Result extends object>(
  request: Promise<Result>,
): Promise<Result | Pick<Finding, 'status' | 'detail' | 'advice'>> {
  try {
    return await request;
  } catch (error) {
    const status = statusOf(error);
    const detail = `Not available: ${messageOf(error)}`;
    if (status === 403) {
      const advice = 'If a proxy is in between, it may not forward this request.';
      return { status: 'skipped', detail, advice };
    }
    if (status === 404 || status === 405) return { status: 'warning', detail };
    throw error;
  }
}
