/** The beginning of a key: enough to tell keys apart. */
export function shortKey(key: string | undefined): string {
  return key?.slice(0, 7) ?? 'none';
}
