import type { MessagePart, MessageParts, ErrorDetails, Wording } from './base.ts';

/** Writes a part of a message. */
export const textOfPart = (part: MessagePart | undefined, wording?: Wording) =>
  typeof part === 'function' ? part(wording) : part;

/** Writes an amount in USD: by default, for programs. */
export const usdText = (usd: number, wording?: Wording): string =>
  wording?.usd(usd) ?? `${usd} USD`;

/** Composes a message. */
export function toMessage(
  { subject, summary, charge, advice, programAdvice, request }: MessageParts,
  wording?: Wording,
): string {
  const text = textOfPart(summary, wording);
  return [
    subject === undefined ? text : `${subject}: ${text}`,
    textOfPart(charge, wording),
    textOfPart(advice, wording),
    programAdvice,
    request && `[${request}]`,
  ]
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

/** What a message says about a request that was not sent. */
export const nothingSent = 'Nothing was sent.';
