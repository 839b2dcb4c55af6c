import { unknownRequest, findEndpoint } from '../../wire/endpoints/index.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { StandardSchema } from '../../wire/types/standard-schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import {
  booleanValue,
  checkOptions,
  oneOf,
  plainObject,
  standardSchema,
} from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { isUnsafePath, queryString } from '../http/path.ts';
import type { ApiRequest } from './api-request.ts';
import type { ClientContext } from './context.ts';
import { execute } from './execute.ts';
import { mergeExtraBody, toJson } from './params.ts';
import { checkRequestOptions, noBodyRules, withIdempotencyKey } from './request-options.ts';
import type { RequestOptions } from './request-options.ts';
import type { RequestPromise } from './request.ts';
import { startRequest } from './request.ts';
import { readJson } from './response.ts';
import type { ResponseReader } from './response.ts';

/** A request to an endpoint for which the client has no method, such as `/v1/images/edits`. */
export interface RawRequest<Result = unknown> {
  /** HTTP method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Path relative to `baseURL`, starting with one `/`: `/v1/images/edits`. Whitespace, `#`, backslashes and the segments
   * `.` and `..` are rejected.
   */
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
  !isUnsafePath(withoutQuery(value));

const withoutQuery = (path: string) => path.replace(/\?.*/, '');

const requestRules: { readonly [Field in keyof Required<RawRequest>]: Rule } = {
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: [isPath, 'text that starts with one / and is safe in a URL path'],
  query: plainObject,
  body: [(value) => value instanceof Object, 'an object or array'],
  schema: standardSchema,
  idempotent: booleanValue,
};

/** A raw request whose required fields may be missing, because JavaScript callers can omit them. */
interface UncheckedRequest<Result> extends Omit<RawRequest<Result>, 'method' | 'path'> {
  method?: string;
  path?: string;
}

/** A raw request that is ready to be sent, and the schema of its response. */
interface PreparedRequest<Result> extends ApiRequest {
  readonly schema: StandardSchema<Result> | undefined;
}

/** Validates and sends a raw request. */
export function sendRawRequest<Result>(
  context: ClientContext,
  request: UncheckedRequest<Result>,
  options: RequestOptions | undefined,
): RequestPromise<Result> {
  const prepare = () => prepareRequest(request, options);
  return startRequest(context, prepare, (prepared) => {
    const { schema } = prepared;
    const read: ResponseReader<Result> = (body) =>
      schema?.['~standard'].validate(body) ?? { value: unchecked<Result>(body) };
    return execute(context, prepared, readJson(read));
  });
}

function prepareRequest<Result>(
  request: UncheckedRequest<Result>,
  options: RequestOptions | undefined,
): PreparedRequest<Result> {
  const { method = '', path = '', ...others } = { ...request };
  checkOptions({ method, path, ...others }, requestRules);
  const { query, body, schema, idempotent } = others;
  const template = withoutQuery(path);
  const search = queryString(query);
  const { safety, paid } = unknownRequest(method, idempotent);
  return {
    method,
    template,
    path: path + (template === path ? search : search.replace('?', '&')),
    body: body && toJson(mergeExtraBody(body, options)),
    safety,
    paid,
    // Only the kind comes from the known endpoint, because the ledger needs it. Everything else is as the caller says.
    kind: findEndpoint(method, template)?.kind,
    options: checkRequestOptions(
      safety === 'keyed' ? withIdempotencyKey(options) : options,
      isRecord(body) ? {} : noBodyRules,
    ),
    schema,
  };
}
