export {
  AbortedError,
  ConnectionError,
  RequestTimeoutError,
  HookError,
  BudgetExceededError,
} from './call.ts';
export {
  APIError,
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
  ResponseValidationError,
} from './responses.ts';
export { PolygateError, ConfigurationError } from './base.ts';
export {
  MaterialFailedError,
  MaterialWaitTimeoutError,
  TaskFailedError,
  TaskWaitTimeoutError,
} from './tasks.ts';
export {
  StreamError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
  StructuredOutputError,
  ToolRoundsError,
} from './chat.ts';
