/** Parses a URL; undefined if it is none. Not all mobile apps and browsers have `URL.parse` and `URL.canParse`. */
export function parseURL(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
