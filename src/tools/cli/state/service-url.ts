/**
 * Identifies a service by its base URL. `localhost` and the loopback addresses that it resolves to are one name, so that a
 * request is found again whichever of them is used. Another port, scheme or path is another service, and so is any other
 * name or address of this machine, at which another server can listen.
 */
export function serviceURL(baseURL: string): string {
  const url = new URL(baseURL);
  if (!/^(localhost|\[::1\])$/.test(url.hostname)) return baseURL;
  url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}

/** Whether two base URLs are those of one service. */
export const isSameService = (one: string, other: string): boolean =>
  serviceURL(one) === serviceURL(other);
