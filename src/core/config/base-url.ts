import { ConfigurationError } from '../../errors/configuration.ts';
import { pageURL } from './environment.ts';

/** The base URL without a trailing `/` or `/v1`, or a `ConfigurationError` that says what is wrong with it. */
export function readBaseURL(text: string | undefined, insecure = false): string {
  const page = pageURL();
  const url = text?.trim() ? URL.parse(text, page) : null;
  if (url === null) {
    throw new ConfigurationError(
      'baseURL: missing or not a URL. Pass it to new Polygate({ baseURL }) or set POLYGATE_BASE_URL.',
    );
  }
  const { protocol, origin, pathname } = url;
  const safe = protocol === 'https:' || origin === (page && new URL(page).origin);
  if (!safe && !(protocol === 'http:' && (insecure || isLoopback(url.hostname)))) {
    throw new ConfigurationError(
      'baseURL: must be https, or on this machine, or set allowInsecureBaseURL.',
    );
  }
  if (url.href !== origin + pathname) {
    throw new ConfigurationError('baseURL: must hold a host and a path only.');
  }
  return origin + pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}

/** Whether a host name is this machine. */
function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(host);
}
