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
    if (key.length < minKeyLength || !mayContain(result, key)) continue;
    const inJson = JSON.stringify(key).slice(1, -1);
    const forms = [key, encodeURIComponent(key), inJson, inJson.replaceAll('/', String.raw`\/`)];
    const pattern = [...new Set(forms)].map((form) => form.replace(/\W/g, String.raw`\$&`));
    result = result.replace(new RegExp(pattern.join('|'), 'gi'), replace);
  }
  return result;
}

/** Whether a text is long enough for a key, and contains what all of its forms begin with. Spares most texts the rest. */
function mayContain(text: string, key: string): boolean {
  if (text.length < key.length) return false;
  const [start = ''] = /^[\w-]*/.exec(key) ?? [];
  return text.toLowerCase().includes(start.toLowerCase());
}
