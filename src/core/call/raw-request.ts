import type { StandardSchema } from '../../schemas/standard-schema.ts';
import { checkValue, oneOf } from '../config/validation.ts';
import { isUnsafePath, queryString } from '../http/path.ts';
import type { ApiCall } from './api-call.ts';

/** A request to an endpoint for which the client has no method, such as `/v1/images/edits`. */
export interface RawRequest<Result = unknown> {
  /** HTTP method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path relative to `baseURL`, starting with `/`: `/v1/images/edits`. */
  path: string;
  /** Query parameters. Undefined and null values are omitted. */
  query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  /** Request body, sent as JSON. */
  body?: object | undefined;
  /** Validates the response body: any Standard Schema, such as a zod schema. */
  schema?: StandardSchema<Result> | undefined;
  /**
   * Whether the request is safe to retry after a failure with an unknown outcome. A POST or PATCH then carries an
   * idempotency key.
   * @defaultValue true for GET, PUT and DELETE, otherwise false
   */
  idempotent?: boolean | undefined;
}

const methodRule = oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE');
const isPath = (value: unknown) =>
  typeof value === 'string' &&
  /^\/(?!\/)[^\s#]*$/.test(value) &&
  !isUnsafePath(value.split('?', 1)[0] ?? '');

/** Validates a raw request and describes it as a call. */
export function describeRawRequest({ method, path, query, body, idempotent }: RawRequest): ApiCall {
  checkValue('method', method ?? '', methodRule);
  checkValue('path', path ?? '', [
    isPath,
    'a path that starts with a single / and contains no whitespace, # or backslash and no . or .. segments',
  ]);
  const [template = path] = path.split('?', 1);
  const hasSideEffects = method === 'POST' || method === 'PATCH';
  const isIdempotent = idempotent ?? !hasSideEffects;
  const search = queryString(query);
  return {
    method,
    template,
    path: path + (template === path ? search : search.replace('?', '&')),
    body,
    safety: isIdempotent ? (hasSideEffects ? 'keyed' : 'safe') : 'once',
    paid: hasSideEffects,
  };
}
