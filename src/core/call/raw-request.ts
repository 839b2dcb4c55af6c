import type { StandardSchema } from '../../schemas/standard-schema.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import {
  booleanValue,
  checkOptions,
  checkValue,
  oneOf,
  standardSchema,
} from '../config/validation.ts';
import type { Rule, Rules } from '../config/validation.ts';
import { isUnsafePath, queryString } from '../http/path.ts';
import type { PreparedCall } from './endpoint.ts';
import { withIdempotencyKey } from './idempotency-key.ts';
import { mergeExtraBody, toJson } from './params.ts';
import { checkRequestOptions, noBodyRules } from './request-options.ts';
import type { RequestOptions } from './request-options.ts';

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

const isPath = (value: unknown) =>
  typeof value === 'string' &&
  /^\/(?!\/)[^\s#]*$/.test(value) &&
  !isUnsafePath(value.split('?', 1)[0] ?? '');

const requestRules: { readonly [Field in keyof Required<RawRequest>]: Rule } = {
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: [
    isPath,
    'a path that starts with a single / and contains no whitespace, # or backslash and no . or .. segments',
  ],
  query: [isRecord, 'an object'],
  body: [(value) => value instanceof Object, 'an object or array'],
  schema: standardSchema,
  idempotent: booleanValue,
};

const arrayBodyRules: Rules = { extraBody: [() => false, 'omitted, because the body is an array'] };

/** Validates a raw request and describes it as a call. */
export function prepareRawRequest(
  request: RawRequest,
  options: RequestOptions | undefined,
): PreparedCall {
  checkOptions(request, requestRules);
  const { method, path, query, body, idempotent } = request;
  checkValue('method', method ?? '', requestRules.method);
  checkValue('path', path ?? '', requestRules.path);
  const [template = path] = path.split('?', 1);
  const hasSideEffects = method === 'POST' || method === 'PATCH';
  const isIdempotent = idempotent ?? !hasSideEffects;
  const isKeyed = isIdempotent && hasSideEffects;
  const keyedOptions = isKeyed ? withIdempotencyKey(options) : options;
  const search = queryString(query);
  return {
    call: {
      method,
      template,
      path: path + (template === path ? search : search.replace('?', '&')),
      body: body && toJson(mergeExtraBody(body, options)),
      safety: isKeyed ? 'keyed' : isIdempotent ? 'safe' : 'once',
      paid: hasSideEffects,
    },
    options: checkRequestOptions(
      keyedOptions,
      isRecord(body) ? {} : body === undefined ? noBodyRules : arrayBodyRules,
    ),
  };
}
