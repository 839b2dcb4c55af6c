import type { StandardSchema } from '../../schemas/standard-schema.ts';
import { isUnsafePath } from '../http/path.ts';
import { queryString } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import { checkValue, oneOf } from '../config/validation.ts';

/** A request to anything that has no method of its own, such as `/v1/images/edits`. */
export interface RawRequest<Result = unknown> {
  /** HTTP method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with `/` and is relative to the origin: `/v1/images/edits`. */
  path: string;
  /** Query parameters; undefined ones are left out. */
  query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  /** Sent as JSON. */
  body?: object | undefined;
  /** What the answer must look like: any Standard Schema, such as one of zod. */
  schema?: StandardSchema<Result> | undefined;
  /**
   * Whether it may be sent again after a failure whose outcome is unknown. A POST then carries an idempotency key.
   * @defaultValue true for GET, PUT and DELETE, else false
   */
  idempotent?: boolean | undefined;
}

/** Checks a raw request and describes it as a call. */
export function describeRawRequest({ method, path, query, body, idempotent }: RawRequest): ApiCall {
  checkValue('method', method ?? '', methods);
  checkValue('path', path ?? '', [isPath, 'a path that begins with / and stays there']);
  const [template = path] = path.split('?', 1);
  const changing = method === 'POST' || method === 'PATCH';
  const again = idempotent ?? !changing;
  const search = queryString(query);
  return {
    method,
    template,
    path: path + (template === path ? search : search.replace('?', '&')),
    body,
    safety: again ? (changing ? 'keyed' : 'safe') : 'once',
    paid: changing,
  };
}

const methods = oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE');
const isPath = (value: unknown) =>
  typeof value === 'string' &&
  /^\/(?!\/)[^\s#]*$/.test(value) &&
  !isUnsafePath(value.split('?', 1)[0] ?? '');
