export { AbortedError } from './aborted.ts';
export { APIError } from './api.ts';
export { PolygateError } from './base.ts';
export { BudgetExceededError } from './budget.ts';
export { ConfigurationError } from './configuration.ts';
export { ConnectionError, RequestTimeoutError } from './connection.ts';
export { HookError } from './hook.ts';
export { MaterialFailedError, MaterialWaitTimeoutError } from './materials.ts';
export { ResponseValidationError } from './response-validation.ts';
export {
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
} from './status.ts';
export { StreamError, StreamIdleTimeoutError, StreamTruncatedError } from './stream.ts';
export { StructuredOutputError } from './structured-output.ts';
export { TaskFailedError, TaskWaitTimeoutError } from './tasks.ts';
export { ToolRoundsError } from './tool-rounds.ts';
