import { refusal } from './errors.ts';

/** A random idempotency key. Pages served over plain http have no `randomUUID`, and some mobile apps no `crypto`. */
export function randomKey(): string {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  return crypto?.randomUUID?.() ?? `${Math.random()}-${Math.random()}-${Math.random()}`;
}

/**
 * A short hash of the JSON of params, to recognize params that are the same. It is computed without `crypto.subtle`,
 * which is asynchronous, and missing on pages served over plain http and in mobile apps.
 */
export function fingerprintOf(params: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(params);
  } catch {
    // Refused below, like other values that are not JSON.
  }
  if (text === undefined) throw refusal('invalid_params');
  let hash = 0;
  // A polynomial modulo a prime, whose products are exact.
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 140_737_488_355_213;
  return `${text.length}-${hash}`;
}
