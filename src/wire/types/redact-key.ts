/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

/**
 * Replaces API keys in a text, in case the service repeats them: in any case, and with characters that are escaped as in a
 * URL, JSON or HTML. Other texts that only resemble a key stay.
 */
export function redactKeys(
  text: string,
  keys: readonly string[],
  replacement: string | ((key: string) => string),
): string {
  let result = text;
  for (const key of keys) {
    if (key.length < minKeyLength || !mayContain(result, key)) continue;
    const pattern = key.replace(/\W/g, formsOf);
    // As a function, because `$` has a meaning in a text.
    const replace = typeof replacement === 'string' ? () => replacement : replacement;
    result = result.replace(new RegExp(pattern, 'gi'), replace);
  }
  return result;
}

/**
 * A pattern for a character as it is, or escaped. Which characters are escaped depends on the service: many JSON writers
 * escape `/`, `+` or `=`.
 */
function formsOf(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const inURL = Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16)}`);
  return `(?:\\\\?\\${character}|${inURL.join('')}|\\\\u00${hex}|&#(?:${code}|x${hex});)`;
}

/** Whether a text is long enough for a key, and contains what all of its forms begin with. Spares most texts the rest. */
function mayContain(text: string, key: string): boolean {
  if (text.length < key.length) return false;
  const [start = ''] = /^\w*/.exec(key) ?? [];
  return text.toLowerCase().includes(start.toLowerCase());
}
