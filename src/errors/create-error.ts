import type { ErrorDetails } from './base.ts';
import { toMessage } from './message.ts';
import type { MessageParts } from './message.ts';

/** Creates an error with a composed message, and keeps what it consists of. */
export function createError<Created, Details extends ErrorDetails>(
  Class: new (message: string, details: Details) => Created,
  parts: MessageParts,
  details: Details,
): Created {
  return new Class(toMessage(parts), { ...details, parts });
}
