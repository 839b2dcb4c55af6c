import type { ErrorDetails } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import { parseURL } from '../../wire/types/type-guards.ts';
import { isBrowser } from '../config/environment.ts';

/**
 * IPv4 ranges outside the public internet: this host, private, shared, loopback, link-local, test, multicast. Wildcard
 * DNS services resolve names that start with an address: `10.0.0.1.resolver.example`.
 */
const privateIPv4 =
  /^(?=(\d+\.){3}\d+(\.|$))(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.0)|198\.1[89])\./;

/** IPv6: all but the global addresses (2000::/3), and those that contain an IPv4 address (Teredo and 6to4). */
const privateIPv6 = /^\[(?![23]\w{3}:)|^\[(2001:0?|2002):/;

/** Names that only a local network resolves: reserved and customary ones, and those without a dot. */
const privateName =
  /^[^.:]*$|(^|\.)(local(host|domain)?|internal|intranet|lan|corp|home(\.arpa)?)\.*$/;

/**
 * Checks the address of a result before anything is sent to it.
 *
 * @throws {@link ConfigurationError} when it is not https and public.
 */
export function checkResultURL(
  address: string,
  allowInsecure: boolean | undefined,
  details: ErrorDetails,
): void {
  const { protocol = '', hostname = '', username, password } = parseURL(address) ?? {};
  const isPrivate =
    privateName.test(hostname) || privateIPv4.test(hostname) || privateIPv6.test(hostname);
  const isAllowed =
    protocol === 'data:' ||
    (allowInsecure && /^https?:$/.test(protocol)) ||
    (protocol === 'https:' && !isPrivate);
  if (isAllowed && !username && !password) return;
  throw new ConfigurationError(
    'download: must be a public https URL without credentials. allowInsecureBaseURL allows http and private hosts.',
    details,
  );
}

/** The part of a file that a response contains. */
export interface FilePart {
  /** Position of its first byte in the file. */
  readonly start: number;
  /** Position at which its body must end, which is the end of the file; undefined if unknown. */
  readonly end: number | undefined;
  /** Size of the file; undefined if unknown. */
  readonly total: number | undefined;
  /** Whether the transport reports a truncated body as an error, even if the size is unknown. */
  readonly isFramed: boolean;
}

/**
 * Returns the part of the file that a response contains: the entire file, or the part from `start` on if that was
 * requested. Returns undefined for any other part.
 */
export function filePart(
  { status, headers }: Response,
  url: string,
  start: number | undefined,
): FilePart | undefined {
  const isEncoded = !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');
  if (status !== 206) {
    // The length of an encoded body is not that of the file.
    const total = isEncoded ? undefined : parseSize(headers.get('content-length'));
    const isChunked = /\bchunked\b/i.test(headers.get('transfer-encoding') ?? '');
    return {
      start: 0,
      // Browsers check the length, and hide the encoding from pages of another origin.
      end: isBrowser() ? undefined : total,
      total,
      // Decoders accept truncated data: gzip, brotli and deflate in Node.
      isFramed: url.startsWith('data:') || (isChunked && !isEncoded),
    };
  }
  const [, first, last, size] =
    /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('content-range') ?? '') ?? [];
  if (isEncoded || Number(first) !== start || !(Number(last) >= start)) return undefined;
  const total = parseSize(size);
  return { start, end: total ?? Number(last) + 1, total, isFramed: false };
}

/** The size in bytes; undefined if the text is missing or not a number. */
const parseSize = (text: string | null | undefined) =>
  /^\d+$/.test(text ?? '') ? Number(text) : undefined;
