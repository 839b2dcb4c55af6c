/**
 * The pieces in which a text is streamed: words with the space before them, long ones cut between
 * characters. Together they are the text.
 */
export function pieces(text: string): string[] {
  return text.match(/\s*\S{1,16}|\s+$/gu) ?? [];
}

/** Tokens, counted simply: every piece is one. */
export function tokens(text: string): number {
  return pieces(text).length;
}
