import { ConfigurationError } from '../../errors/base.ts';
import { parseURL } from '../../wire/types/type-guards.ts';
import { pageURL } from './environment.ts';

/** Whether a host name refers to this machine. */
export const isLoopbackHost = (hostname: string): boolean => loopback.test(hostname);

const loopback = /^((.+\.)?localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/;

/**
 * Validates a base URL and removes a trailing `/` or `/v1`.
 *
 * @throws {@link ConfigurationError} when it is missing, not a URL, or not safe.
 */
export function parseBaseURL(text: string | undefined, allowInsecure = false): string {
  const page = pageURL();
  const url = text?.trim() ? parseURL(text, page) : undefined;
  if (url !== undefined) {
    const { protocol, origin, pathname } = url;
    const isSafe =
      protocol === 'https:' ||
      (protocol === 'http:' &&
        (allowInsecure || isLoopbackHost(url.hostname) || page?.startsWith(`${origin}/`)));
    if (isSafe && url.href === origin + pathname) {
      return origin + pathname.replace(/(\/v1)?(?<!\/)\/*$/, '');
    }
  }
  throw new ConfigurationError(
    text?.trim()
      ? 'baseURL (POLYGATE_BASE_URL): must be an https URL without credentials, query or fragment. allowInsecureBaseURL allows http.'
      : 'baseURL: missing. Pass the URL of the service to the client or set POLYGATE_BASE_URL.',
  );
}
