import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { ResponseSchema } from '../../schemas/schema.ts';
import type { StandardResult, StandardSchema } from '../../schemas/standard-schema.ts';
import type { TaskHandle } from '../../schemas/task-handle.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { hexadecimal } from './fingerprint.ts';
import { parseHeaderChanges } from '../config/header-changes.ts';
import type { HeaderChanges } from '../config/header-changes.ts';
import type { Safety } from './retry.ts';
import {
  checkValue,
  nonNegativeInteger,
  durationMs,
  objectWithMethods,
  headerText,
  idempotencyKeyRule,
} from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';

/** The last argument of every call. */
export interface RequestOptions {
  /** Ends the call at once; the error's `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time for one attempt, ms; see the client's `timeout`. */
  timeout?: number | undefined;
  /** Retries after the first attempt; see the client's `maxRetries`. */
  maxRetries?: number | undefined;
  /** Headers for this request; `null` removes a default or client header, never `authorization`. */
  headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /** Your own id for this request. */
  requestId?: string | undefined;
  /**
   * The idempotency key: 1 to 200 visible ASCII characters. Generated where the service wants one and none is given.
   */
  idempotencyKey?: string | undefined;
}

/** The header in which the service expects an idempotency key. */
export type IdempotencyHeader = 'x-idempotency-key' | 'idempotency-key';

/** Makes the result of a call out of a parsed body, or says what is wrong with it. */
export type ResponseReader<Result> = (
  body: unknown,
  meta: ResponseMeta,
) => StandardResult<Result> | Promise<StandardResult<Result>>;

/** One request, as a resource describes it. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'DELETE' | (string & {});
  /** Path template of the specification, for messages and the ledger: `/v1/images/tasks/{id}`. */
  template: string;
  /** The template with its values filled in, and the query. */
  path?: string | undefined;
  body?: object | undefined;
  safety: Safety;
  /** Whether it costs money. */
  paid?: boolean | undefined;
  /** Whether it takes one of the account's concurrency slots. */
  usesSlot?: boolean | undefined;
  /** Where an idempotency key goes. */
  idempotencyHeader?: IdempotencyHeader | undefined;
  /** The model it asks, for the ledger. */
  model?: string | undefined;
  /** What it is going to cost, USD, by the prices of its model; undefined when they do not tell. */
  estimateUsd?: ((prices: KnownPrices) => number | undefined) | undefined;
  /** Time for one attempt when neither the call nor the client says, ms. */
  timeout?: number | undefined;
  /** Headers of this endpoint. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The header that carries the bare key beside `authorization`, for other services' styles. */
  apiKeyHeader?: string | undefined;
  /** False for endpoints that must never see credentials. */
  credentials?: boolean | undefined;
  /** The task it asks about, or that the headers of its answer name. */
  findTask?: ((meta: ResponseMeta | undefined) => TaskHandle | undefined) | undefined;
}

/** What a body must be: what the client itself needs of it, or any schema of a caller's. */
export type ResultSchema<Result> = ResponseSchema<Result> | StandardSchema<Result>;

/** Reads a body with a schema. */
export function readWithSchema<Result>(schema: ResultSchema<Result>): ResponseReader<Result> {
  return (body) => {
    if ('~standard' in schema) return schema['~standard'].validate(body);
    const issue = schema.validate(body, []);
    return issue === undefined ? { value: unchecked<Result>(body) } : { issues: [issue] };
  };
}

/** The options of one call, checked. */
export interface CheckedOptions extends Omit<RequestOptions, 'headers'> {
  headers: HeaderChanges;
}

const rules = {
  signal: [objectWithMethods('addEventListener')[0], 'an AbortSignal'],
  timeout: durationMs,
  maxRetries: nonNegativeInteger,
  requestId: headerText,
  idempotencyKey: idempotencyKeyRule,
} satisfies Record<string, Rule>;

/** Checks the options of one call; whatever else stands there belongs to the resource that took them. */
export function checkRequestOptions(options: RequestOptions = {}): CheckedOptions {
  for (const [name, rule] of Object.entries(rules))
    checkValue(name, Reflect.get(options, name), rule);
  return { ...options, headers: parseHeaderChanges(options.headers) };
}

/** The options with an idempotency key: the caller's, or a new one. */
export function withIdempotencyKey<Options extends RequestOptions>(options: Options) {
  // Only a key that is absent is made up: a null that slipped in is refused like any other that is no key.
  const { idempotencyKey = newIdempotencyKey() } = options;
  return { ...options, idempotencyKey };
}

/** A new idempotency key. Pages on plain `http:` have no `crypto.randomUUID`. */
export function newIdempotencyKey(): string {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

/** A query string with its question mark; undefined values are left out. */
export function queryString(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries<string | number | boolean | null | undefined>({
    ...query,
  })) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}
