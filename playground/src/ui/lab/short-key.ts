/** The first characters of a key, enough to distinguish keys. */
export function shortKey(key: string | undefined): string {
  return key?.slice(0, 7) ?? 'none';
}
