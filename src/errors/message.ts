import { PolygateError } from './base.ts';
import type { MessageParts, ErrorDetails } from './base.ts';

/** Composes a message. */
export function toMessage({
  summary,
  charge,
  advice,
  programAdvice,
  request,
}: MessageParts): string {
  return [summary, charge, advice, programAdvice, request && `[${request}]`]
    .filter(Boolean)
    .join(' ');
}

/** Creates an error with a composed message, and keeps what it consists of. */
export function createError<Created, Details extends ErrorDetails>(
  Class: new (message: string, details: Details) => Created,
  parts: MessageParts,
  details: Details,
): Created {
  return new Class(toMessage(parts), { ...details, parts });
}

/**
 * A copy of an error that says something else about charges: `charge`, and the outcome `unknown`. Its class, its other
 * details and its stack trace are those of the error, which other code may hold as well.
 */
export function restateCharge(error: PolygateError, charge: string): PolygateError {
  const { message: previous, stack, parts = { summary: previous } } = error;
  const restated = { ...parts, charge };
  const message = toMessage(restated);
  const copy = new PolygateError(message);
  // The class may be that of another copy of polygate, or a user's own, whose constructor is unknown.
  Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(error));
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(error),
    message: { value: message },
    outcome: { value: 'unknown', enumerable: true },
    parts: { value: restated },
    // Its first line has the message.
    stack: { value: stack?.replace(previous, () => message) },
  });
}
