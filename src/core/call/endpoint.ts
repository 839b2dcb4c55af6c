import { fillPath, queryString } from '../http/path.ts';
import { withAbortableBody } from '../http/response-body.ts';
import { readWithSchema } from './api-call.ts';
import type { ApiCall, ResponseReader, ResultSchema } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { execute } from './execute.ts';
import { checkProblem } from './params.ts';
import type { RequestOptions } from './request-options.ts';
import { RequestPromise } from './request-promise.ts';
import { keepBodyUnread, readJson } from './response.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';

/** How a call differs from a GET without side effects. */
export interface Endpoint extends Partial<ApiCall> {
  /** Values for the placeholders of the path template. */
  values?: Readonly<Record<string, unknown>> | undefined;
  query?: object | undefined;
  /** What is wrong with the caller's arguments; rejects the promise. */
  problem?: string | undefined;
}

/** Requests an endpoint, given by its path template, that returns one JSON document. */
export function requestJson<Result>(
  context: ClientContext,
  template: string,
  result: ResultSchema<Result> | ResponseReader<Result>,
  options: RequestOptions | undefined,
  { values, query, problem, ...call }: Endpoint = {},
): RequestPromise<Result> {
  const describe = (): ApiCall => {
    checkProblem(problem);
    const path = fillPath(template, values) + queryString(query);
    return { method: 'GET', safety: 'safe', template, path, ...call };
  };
  return executeJson(context, describe, result, options);
}

/** Executes a call that returns one JSON document. An error thrown by `describe` rejects the promise. */
export function executeJson<Result>(
  context: ClientContext,
  describe: () => ApiCall,
  result: ResultSchema<Result> | ResponseReader<Result>,
  options?: RequestOptions,
): RequestPromise<Result> {
  const read = typeof result === 'function' ? result : readWithSchema(result);
  return startCall(context, describe, options, readJson(read), (response) => response);
}

/**
 * Starts a call and returns its promise. An error thrown by `describe` rejects it, and `transform` turns the response
 * into the final one.
 */
export function startCall<Result, Final = Result>(
  context: ClientContext,
  describe: () => ApiCall,
  options: RequestOptions | undefined,
  handle: ResponseHandler<Result>,
  transform: (response: ApiResponse<Result>) => Promise<ApiResponse<Final>> | ApiResponse<Final>,
): RequestPromise<Final> {
  return new RequestPromise({
    parsed: async () => transform(await execute(context, describe(), options, handle)),
    raw: async () => executeRaw(context, describe(), options),
  });
}

/** Executes a call without reading its body. The caller's signal also ends the body. */
export async function executeRaw(
  context: ClientContext,
  call: ApiCall,
  options: RequestOptions | undefined,
): Promise<ApiResponse<undefined>> {
  const result = await execute(context, call, options, keepBodyUnread);
  return { ...result, response: withAbortableBody(result.response, options?.signal) };
}
