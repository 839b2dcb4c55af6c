/**
 * A random idempotency key. It is no secret: it only has to differ from all others. `crypto.randomUUID` is missing on
 * pages served over plain http, and `crypto` in some mobile apps.
 */
export function newIdempotencyKey(): string {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const bytes = new Uint8Array(16);
  return toHex(crypto?.getRandomValues?.(bytes) ?? bytes.map(() => Math.random() * 256));
}

/** Bytes as lowercase hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
