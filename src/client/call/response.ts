import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { ResponseSchema } from '../../wire/types/schema.ts';
import type { SchemaIssue } from '../../wire/types/standard-schema.ts';
import { describeNonJson } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';
import { readBodyText } from '../http/response-body.ts';
import type { SlotLease } from '../limits/concurrency.ts';
import type { Call } from './call.ts';
import type { InvalidResult } from './errors.ts';

/** The response to a call and the result read from it. */
export interface ApiResponse<Result> {
  readonly response: Response;
  readonly data: Result;
  /** Parses the metadata of the response, which most calls never read. */
  readonly meta: () => ResponseMeta;
  /** The model that the request has named. */
  readonly model?: string | undefined;
  /** Whether its body is a stream that continues after the call, and ends the span itself. */
  readonly isOpen?: boolean;
}

/** A successful response to a call, with an unread body. */
export interface ReceivedResponse extends Pick<ApiResponse<never>, 'response' | 'meta'> {
  readonly call: Call;
  /** Aborts if the attempt times out or the caller aborts. */
  readonly signal: AbortSignal;
  /** The concurrency slot. A handler that opens a stream transfers it, then releases it, and ends the span. */
  readonly lease: SlotLease;
}

/** Turns a successful response into the result of a call. */
export type ResponseHandler<Result> = (received: ReceivedResponse) => Promise<Result>;

/** The result of reading a body: the value, or the reasons why it is invalid. */
export type ReadResult<Result> =
  | { readonly value: Result; readonly issues?: undefined }
  | InvalidResult;

/** Turns a parsed body into the result of a call. */
export type ResponseReader<Result> = (
  body: unknown,
  meta: () => ResponseMeta,
  call: Call,
) => ReadResult<Result> | Promise<ReadResult<Result>>;

/**
 * Handles a response that is one JSON document. `recover` returns what a body means that is none; undefined if it means
 * nothing.
 */
export function readJson<Result>(
  read: ResponseReader<Result>,
  recover?: (text: string, received: ReceivedResponse) => unknown,
): ResponseHandler<Result> {
  return async (received) => {
    const { meta, call } = received;
    const text = await readText(received);
    const json = parseJson(text);
    const body = json === undefined ? await recover?.(text, received) : json;
    if (body === undefined) throw call.invalidResponse(meta(), describeNonJson(text), text);
    const result = await read(body, meta, call);
    if (result.issues === undefined) return result.value;
    throw call.invalidResponse(meta(), formatIssues(result.issues), body, result);
  };
}

/** Reads the body of a successful response. */
export async function readText({
  call,
  response,
  meta,
  signal,
}: ReceivedResponse): Promise<string> {
  const { maxResponseBytes } = call.config;
  try {
    return await readBodyText(response, maxResponseBytes, signal);
  } catch (error) {
    throw call.unreadableBody(meta(), error, maxResponseBytes);
  }
}

/** Issues as one line: the path of each field, and what is wrong with it. */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return [keys.join('.'), message].filter(Boolean).join(': ');
  });
  return lines.join('; ');
}

/** Creates a reader that validates with a schema. */
export function readWithSchema<Result>(schema: ResponseSchema<Result>): ResponseReader<Result> {
  return (body) => {
    const issue = schema.validate(body, []);
    return issue === undefined ? { value: unchecked<Result>(body) } : { issues: [issue] };
  };
}

/** Creates a reader that passes the valid record to a function, and returns what that returns. */
export function readAndMap<Received, Result>(
  read: ResponseReader<Received>,
  map: (record: Received) => Result,
): ResponseReader<Result> {
  return async (...received) => {
    const result = await read(...received);
    return result.issues === undefined ? { value: map(result.value) } : result;
  };
}

/** Creates a reader that adds non-enumerable properties to the record, which otherwise stays as received. */
export function readExtended<Received extends object, Extended extends Received>(
  schema: ResponseSchema<Received>,
  propertiesOf: (record: Received) => PropertyDescriptorMap,
): ResponseReader<Extended> {
  return readAndMap(readWithSchema(schema), (record) =>
    unchecked(Object.defineProperties(record, propertiesOf(record))),
  );
}

/** Creates a reader for lists that can be iterated: `for (const model of await gateway.models.list())`. */
export function readIterable<Item, List extends { data: Item[] }>(
  schema: ResponseSchema<List>,
): ResponseReader<List & Iterable<Item>> {
  return readExtended(schema, ({ data }) => ({
    [Symbol.iterator]: { value: () => data.values() },
  }));
}
