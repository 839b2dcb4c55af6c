import { PolygateError } from 'polygate';

/** An error as the page shows it. */
export interface Problem {
  /** The class of the error. */
  name: string;
  message: string;
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
  if (error instanceof PolygateError) {
    const { name, message, outcome } = error;
    return { name, message, outcome };
  }
  const message = error instanceof Error ? error.message : String(error);
  // The server sends an error through the AI SDK as text that starts with the class.
  const [, name = 'Error', text = message] = /^(\w+Error): (.*)$/s.exec(message) ?? [];
  return { name, message: text };
}
