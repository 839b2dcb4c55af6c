import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { ResponseSchema } from '../../schemas/schema.ts';
import type { SchemaIssue, StandardSchema } from '../../schemas/standard-schema.ts';
import type { TaskHandle } from '../../schemas/task-handle.ts';
import type { EndpointHeaders } from '../http/request-headers.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import type { Safety } from './retry.ts';

/** One API call, as a resource describes it. */
export interface ApiCall extends EndpointHeaders {
  method: 'GET' | 'POST' | 'DELETE' | (string & {});
  /** Path template of the specification, for messages and the ledger: `/v1/images/tasks/{id}`. */
  template: string;
  /** The template with its placeholders filled in, and the query. */
  path?: string | undefined;
  /** What happens if the request reaches the service more than once. */
  safety: Safety;
  /** Whether the request costs money. */
  paid?: boolean | undefined;
  /** Whether the request holds one of the account's concurrency slots. */
  usesSlot?: boolean | undefined;
  /** The model id, for the ledger. */
  model?: string | undefined;
  /** The price in USD, estimated from the model's prices; undefined if they are unknown. */
  estimateUsd?: ((prices: KnownPrices) => number | undefined) | undefined;
  /** Timeout of one attempt in ms, unless the caller sets one. */
  timeout?: number | undefined;
  /** The task that an error of this call refers to, from the response headers or the id in its body. */
  findTask?:
    | ((meta: ResponseMeta | undefined, taskId: string | undefined) => TaskHandle | undefined)
    | undefined;
}

/** The result of reading a body: the value, or the reasons why it is invalid. */
export type ReadResult<Result> =
  | { readonly value: Result; readonly issues?: undefined }
  | {
      readonly issues: readonly SchemaIssue[];
      /** The task id in an otherwise invalid body, so that a paid task is not lost. */
      readonly taskId?: string | undefined;
    };

/** Turns a parsed body into the result of a call. */
export type ResponseReader<Result> = (
  body: unknown,
  meta: ResponseMeta,
) => ReadResult<Result> | Promise<ReadResult<Result>>;

/** A schema for a body: one of the client's own checks, or any Standard Schema from the caller. */
export type ResultSchema<Result> = ResponseSchema<Result> | StandardSchema<Result>;

/** Creates a reader that validates with a schema. */
export function readWithSchema<Result>(schema: ResultSchema<Result>): ResponseReader<Result> {
  return (body) => {
    if ('~standard' in schema) return schema['~standard'].validate(body);
    const issue = schema.validate(body, []);
    return issue === undefined ? { value: unchecked<Result>(body) } : { issues: [issue] };
  };
}
