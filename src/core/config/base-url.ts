import { ConfigurationError } from '../../errors/configuration.ts';
import { pageURL } from './environment.ts';

/** Host names that refer to this machine. */
const loopback = /^((.+\.)?localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/;

/**
 * Validates a base URL and removes a trailing `/` or `/v1`.
 *
 * @throws {@link ConfigurationError} when it is missing, not a URL, or not safe.
 */
export function parseBaseURL(text: string | undefined, allowInsecure = false): string {
  const page = pageURL();
  const url = text?.trim() ? URL.parse(text, page?.href) : null;
  if (url === null) {
    throw new ConfigurationError(
      'baseURL: missing or not a URL. Pass it as an option or set POLYGATE_BASE_URL.',
    );
  }
  const { protocol, origin, pathname } = url;
  const isSecure = protocol === 'https:' || origin === page?.origin;
  if (!isSecure && !(protocol === 'http:' && (allowInsecure || loopback.test(url.hostname)))) {
    throw new ConfigurationError(
      'baseURL: must be https or loopback, or set allowInsecureBaseURL.',
    );
  }
  if (url.href !== origin + pathname) {
    throw new ConfigurationError('baseURL: must not contain credentials, a query or a fragment.');
  }
  return origin + pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}
