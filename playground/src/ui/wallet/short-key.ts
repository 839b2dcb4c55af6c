/** The first characters of a key, enough to distinguish keys. */
export function shortKey(key: string): string {
  return key.length > 12 ? `${key.slice(0, 10)}…` : key;
}
