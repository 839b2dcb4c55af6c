import { APIError } from '../../errors/api.ts';
import {
  AuthenticationError,
  BadRequestError,
  ConcurrencyLimitError,
  ConflictError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  ServiceUnavailableError,
  UnprocessableError,
} from '../../errors/status.ts';
import { concurrencyLimitCode } from './retry.ts';

type APIErrorClass = new (...args: ConstructorParameters<typeof APIError>) => APIError;

const classByStatus: Readonly<Record<number, APIErrorClass>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
  503: ServiceUnavailableError,
};

/** The error class for a status and error code. */
export function statusErrorClass(status: number, code: string | undefined): APIErrorClass {
  if (status === 429 && code === concurrencyLimitCode) return ConcurrencyLimitError;
  return classByStatus[status] ?? (status >= 500 ? ServerError : APIError);
}
