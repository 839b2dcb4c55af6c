import { mount } from './support.ts';
import type { Wire } from './support.ts';

const json = { 'content-type': 'application/json' };
const signedIn = { 'x-user': 'ann' };
export const chat = '{"model":"aurora-chat","messages":[{"role":"user","content":"Hello"}]}';
export const image = '{"model":"prism-image","prompt":"A harbour"}';

/** A request of a user whom the app knows. */
export const get = (path: string, headers: Record<string, string> = {}): Wire => ({
  path: mount + path,
  headers: { ...signedIn, ...headers },
});
export const post = (
  path: string,
  body: Wire['body'] = '{}',
  headers: Record<string, string> = {},
) => ({
  ...get(path, { ...json, ...headers }),
  method: 'POST',
  body,
});

/** A path just as it is. */
export const raw = (path: string): Wire => ({ path, headers: signedIn });

/** What a browser asks before a page may send. */
export const preflight = (headers: Record<string, string>): Wire => ({
  method: 'OPTIONS',
  path: `${mount}/v1/images/tasks`,
  headers: { 'access-control-request-method': 'POST', ...headers },
});

/** A request without one of its headers. */
export const without = (wire: Wire, name: string): Wire => {
  const { [name]: _, ...headers } = wire.headers ?? {};
  return { ...wire, headers };
};
