/** Parses JSON text. Returns undefined, which valid JSON never produces, if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * JSON in which half a surrogate pair is the replacement character. Where a text was cut within an emoji, it ends with
 * half a pair, with which services reject the request, or fail after they have charged for it.
 */
export function withoutHalfPairs(text: string): string {
  if (!text.includes('\\ud') && !text.includes('\\uD')) return text;
  return text.replace(escapes, (escape, half?: string) => (half ? '\ufffd' : escape));
}

/** Whether a content type is that of JSON. */
export const isJson = (type = ''): boolean => /\bjson\b/i.test(type);

/** In JSON: a backslash, an escaped pair, or half a pair, which is captured. Other halves are replaced when the text is encoded. */
const escapes = /\\\\|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u(d[89a-f][\da-f]{2})/gi;

/** A value as text: a string unchanged, anything else as JSON. Throws if that is not possible. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A value as text, like `toText`, but never throws. */
export function stringify(value: unknown): string {
  try {
    return toText(value);
  } catch {
    return '(too deeply nested)';
  }
}

/** Text that ends with a punctuation mark. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Collapses text into one line of at most `limit` characters. */
export function singleLine(text: string, limit = 300): string {
  const line = text
    .slice(0, 4 * limit)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
