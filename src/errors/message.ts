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
