import {
  APIError,
  BudgetExceededError,
  PolygateError,
  RateLimitError,
  ResponseValidationError,
} from 'polygate';
import type { RequestPromise, ResponseMeta } from 'polygate';

import { messageForPeople } from '../../../internal.ts';
import { forCommands } from '../../money.ts';
import type { Finding, Report } from './findings.ts';

/** What the service sent instead of a result. */
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

/** Whether a status says that the requested path, or a method of it, does not exist. */
export const isMissing = (status: number | undefined): boolean => status === 404 || status === 405;

/** Whether an error shows how the requested endpoint responds. A lost connection and a rate limit do not. */
export function isAboutEndpoint(error: unknown): boolean {
  return errorResponse(error) !== undefined && !RateLimitError.is(error);
}

/** The error of a request that should fail; undefined if it succeeds. An error without a response is thrown. */
export async function failureOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (errorResponse(error) === undefined) throw error;
    return error;
  }
}

/** Describes an error as a finding. */
export function describeFailure(
  error: unknown,
): Pick<Finding, 'status' | 'detail' | 'skipReason' | 'advice'> {
  const detail = messageOf(error);
  if (RateLimitError.is(error)) {
    const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000);
    const advice = `Run doctor again ${seconds > 0 ? `in ${seconds} s` : 'later'}, while nothing else uses the account.`;
    const reason = { detail: `Rate limited: ${detail}`, skipReason: 'rate-limited' } as const;
    return { status: 'skipped', ...reason, advice };
  }
  if (BudgetExceededError.is(error)) return { status: 'skipped', detail };
  return { status: 'failed', detail };
}

/** What to do if a server accepts connections and does not respond. */
export const noResponseAdvice =
  'Check the host name and port in baseURL, the firewall, and whether a proxy is in between.';

/** The message of an error, without advice that does not apply to a diagnosis. */
export function messageOf(error: unknown): string {
  if (!PolygateError.is(error)) return `Unexpected error: ${String(error)}`;
  return messageForPeople(error, { advice: undefined }, forCommands);
}

/**
 * The result of a request to an endpoint that may be missing, or that a proxy may not forward, which is then reported.
 */
export async function ifAvailable<Result>(
  report: Report,
  request: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    const status = statusOf(error);
    const detail = `Not available: ${messageOf(error)}`;
    if (status === 403) {
      const advice = 'If a proxy is in between, it may not forward this request.';
      report.endsBecause(detail, { advice });
    } else if (isMissing(status)) {
      report.warning(detail);
    } else {
      throw error;
    }
    return undefined;
  }
}
