import { refusal } from './errors.ts';

/** A random idempotency key. Pages served over plain http have no `randomUUID`, and some mobile apps no `crypto`. */
export function randomKey(): string {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const part = () => Math.random().toString(36).slice(2);
  return crypto?.randomUUID?.() ?? [part(), part(), part(), part()].join('-');
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
  let one = 0x811c9dc5;
  let two = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x85ebca6b) + (one >>> 15);
  }
  return [one, two].map((half) => (half >>> 0).toString(36)).join('-');
}
