import type { ErrorDetails } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import type { Config } from '../config/config.ts';
import { isBrowser } from '../config/environment.ts';
import { fetchOptions } from './transport.ts';

/** IPv4 ranges outside the public internet: this host, private, shared, loopback, link-local, test, multicast. */
const privateIPv4 =
  /^(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.0)|198\.1[89])\./;

/** An IPv4 address, or a name that starts with one, as wildcard DNS services use: `10.0.0.1.resolver.example`. */
const startsWithIPv4 = /^\d+\.\d+\.\d+\.\d+(\.|$)/;

/** IPv6: unspecified, loopback, unique and site local, link-local, multicast, and every form of embedded IPv4. */
const privateIPv6 = /^\[(::|f[cd]|fe[89a-f]|ff|64:ff9b:|2001:(:|0:)|2002:)/;

/** Names that only a local network resolves: reserved and customary ones, and those without a dot. */
const privateName =
  /^[^.:]*$|(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)\.*$/;

/**
 * Requests a result's file without credentials. The calling function follows redirects, so that each address is
 * checked.
 */
export function requestResult(
  { fetch }: Config,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    ...fetchOptions(),
    headers,
    signal,
    credentials: 'omit',
    // A page cannot inspect redirects. There, CORS limits what it can read.
    ...(isBrowser() && { redirect: 'follow' }),
  });
}

/** The absolute URL that a response redirects to; undefined if it is not a redirect, empty if it is invalid. */
export function redirectTarget(response: Response, base: string): string | undefined {
  const location = response.status < 400 ? response.headers.get('location') : null;
  return location === null ? undefined : (URL.parse(location, base)?.href ?? '');
}

/**
 * Checks the address of a result before anything is sent to it.
 *
 * @throws {@link ConfigurationError} when it is not https and public.
 */
export function checkResultURL(
  address: string,
  allowInsecure = false,
  details: ErrorDetails = {},
): void {
  const { protocol = '', hostname = '', username, password } = URL.parse(address) ?? {};
  const isAllowed =
    protocol === 'data:' ||
    (allowInsecure && /^https?:$/.test(protocol)) ||
    (protocol === 'https:' && !isPrivateHost(hostname));
  if (isAllowed && !username && !password) return;
  throw new ConfigurationError(
    'download: the URL must be a public https URL without credentials. Set allowInsecureBaseURL to allow http and private hosts.',
    details,
  );
}

/** Whether a host name, as the URL parser returns it, may be inside a private network. */
function isPrivateHost(host: string): boolean {
  return (
    privateName.test(host) ||
    (startsWithIPv4.test(host) && privateIPv4.test(host)) ||
    privateIPv6.test(host)
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
}

/**
 * Returns the part of the file that a response contains: the entire file, or the part from `start` on if that was
 * requested. Returns undefined for any other part.
 */
export function filePart(
  { status, headers }: Response,
  start: number | undefined,
): FilePart | undefined {
  const isEncoded = !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');
  if (status !== 206) {
    const length = headers.get('content-length') ?? '';
    // The length of an encoded body is not that of the file.
    const total = /^\d+$/.test(length) && !isEncoded ? Number(length) : undefined;
    // Browsers check the length, and hide the encoding from pages of another origin.
    return { start: 0, end: isBrowser() ? undefined : total, total };
  }
  const [, first, last, size] =
    /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('content-range') ?? '') ?? [];
  if (isEncoded || Number(first) !== start || !(Number(last) >= start)) return undefined;
  const total = size === '*' ? undefined : Number(size);
  return { start, end: total ?? Number(last) + 1, total };
}
