import { PolygateError } from 'polygate';

import { messageForPeople, requestOf } from '../../src/internal.ts';

/** An error as the page shows it. */
export interface Problem {
  /** The class of the error. */
  name: string;
  /** What happened, and whether the request may have been charged, without advice for code. */
  message: string;
  /** What happened, without what the client says about charges. */
  summary?: string | undefined;
  /** The request: its method and route, and its id if it is known. */
  request?: string | undefined;
  /** What is known about the request: `rejected`, `not-sent` or `unknown`. */
  outcome?: string | undefined;
}

/** Errors that the same request would cause again: the request, the key or the balance must change first. */
const permanent = new Set([
  'AuthenticationError',
  'BadRequestError',
  'ConfigurationError',
  'ConflictError',
  'NotFoundError',
  'PaymentRequiredError',
  'PermissionDeniedError',
  'UnprocessableError',
]);

/** Whether sending the same request again can help. */
export function canRetry({ name }: Problem): boolean {
  return !permanent.has(name);
}

/** Converts any thrown value. */
export function toProblem(error: unknown): Problem {
  if (PolygateError.is(error)) {
    const message = messageForPeople(error, { request: undefined });
    const summary = messageForPeople(error, { request: undefined, charge: undefined });
    return {
      name: error.name,
      message,
      summary,
      request: requestOf(error),
      outcome: error.outcome,
    };
  }
  return { name: 'Error', message: error instanceof Error ? error.message : String(error) };
}
