/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

/**
 * Replaces API keys in a text, in case the service repeats them: in any case, and as they are in a URL or in JSON. Other
 * texts that only resemble a key stay.
 */
export function redactKeys(
  text: string,
  keys: readonly string[],
  replacement: string | ((key: string) => string),
): string {
  const replace = typeof replacement === 'string' ? () => replacement : replacement;
  let result = text;
  for (const key of keys) {
    // No form of a key is shorter than the key, so this spares most headers the rest.
    if (key.length < minKeyLength || key.length > text.length) continue;
    const inJson = JSON.stringify(key).slice(1, -1);
    const forms = [key, encodeURIComponent(key), inJson, inJson.replaceAll('/', String.raw`\/`)];
    const pattern = [...new Set(forms)].map((form) => form.replace(/\W/g, String.raw`\$&`));
    result = result.replace(new RegExp(pattern.join('|'), 'gi'), replace);
  }
  return result;
}
