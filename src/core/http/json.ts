/** Parses JSON text. Returns undefined, which valid JSON never produces, if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text begins like an event stream. */
export function isEventText(text: string): boolean {
  return /^\s*(data|event|id|retry)?:/.test(text);
}

/** The JSON of a body to which a service has appended `data: [DONE]`. */
export function withoutDone(text: string): string {
  return text.trim().replace(/\s*(data:)?\s*\[DONE\]$/i, '');
}

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
