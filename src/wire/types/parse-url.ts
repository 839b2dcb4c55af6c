/** Parses a URL; undefined if it is none. Not all mobile apps and browsers have `URL.parse` and `URL.canParse`. */
export function parseURL(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const loopback = /^((.+\.)?localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

/** Whether a host name of a URL refers to this machine. */
export const isLoopbackHost = (hostname: string): boolean => loopback.test(hostname);
