/** What the message of an error says, so that a text for other readers can be made of it. The message has it in this order. */
export interface MessageParts {
  /** What happened. */
  readonly summary: string;
  /** Whether money may have been spent, or may be spent again. */
  readonly charge?: string | undefined;
  /** What to do next. */
  readonly advice?: string | undefined;
  /** What only a program can do next. */
  readonly programAdvice?: string | undefined;
  /** The request: method and path template, and the id of the request if it is known. */
  readonly request?: string | undefined;
}

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
