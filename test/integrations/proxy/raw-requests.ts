import { mount } from './support.ts';
import type { RawRequest } from './support.ts';

const json = { 'content-type': 'application/json' };
const signedIn = { 'x-user': 'ann' };
export const chat = '{"model":"aurora-chat","messages":[{"role":"user","content":"Hello"}]}';
export const image = '{"model":"prism-image","prompt":"A harbor"}';

/** A request from a signed-in user. */
export const get = (path: string, headers: Record<string, string> = {}): RawRequest => ({
  path: mount + path,
  headers: { ...signedIn, ...headers },
});
export const post = (
  path: string,
  body: RawRequest['body'] = '{}',
  headers: Record<string, string> = {},
) => ({
  ...get(path, { ...json, ...headers }),
  method: 'POST',
  body,
});

/** A request to this exact path, from a signed-in user. */
export const rawPath = (path: string): RawRequest => ({ path, headers: signedIn });

/** A CORS preflight. */
export const preflight = (headers: Record<string, string>): RawRequest => ({
  method: 'OPTIONS',
  path: `${mount}/v1/images/tasks`,
  headers: { 'access-control-request-method': 'POST', ...headers },
});

/** A request without one of its headers. */
export const without = (request: RawRequest, name: string): RawRequest => {
  const { [name]: _, ...headers } = request.headers ?? {};
  return { ...request, headers };
};
