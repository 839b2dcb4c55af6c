import { ConfigurationError } from '../../errors/base.ts';
import { toHex } from '../http/request-headers.ts';

/**
 * The SHA-256 hash of the given texts, in hexadecimal digits.
 *
 * @throws {@link ConfigurationError} on pages served over plain http and in some mobile apps, which have no
 * `crypto.subtle`.
 */
export async function fingerprint(...texts: string[]): Promise<string> {
  const { crypto }: { crypto?: Partial<Crypto> } = globalThis;
  const subtle = crypto?.subtle;
  if (subtle === undefined) {
    throw new ConfigurationError(
      'crypto.subtle: is missing. Browsers have it only on https and localhost.',
    );
  }
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  return toHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

/** The fingerprint of a request to one or more models, by which a later process recognizes it. */
export function requestHash(
  path: string,
  body: string,
  fallback: readonly string[] = [],
): Promise<string> {
  // Without a fallback, as in journals of earlier versions.
  return fallback.length > 0
    ? fingerprint(path, body, JSON.stringify(fallback))
    : fingerprint(path, body);
}

/**
 * The idempotency key of a row: the same in every process that works on it. Other params are another request, so where
 * a row may be submitted with others, `identity` ends with their fingerprint.
 */
export async function rowKey(...identity: string[]): Promise<string> {
  return `pg-${await fingerprint(...identity)}`;
}
