import { fillPath, queryString } from '../http/path.ts';
import type { ApiCall, ResponseReader, ResultSchema } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { execute } from './execute.ts';
import { checkProblem } from './params.ts';
import { readWithSchema } from './readers.ts';
import type { RequestOptions } from './request-options.ts';
import { RequestPromise } from './request-promise.ts';
import { keepBodyUnread, readJson } from './response.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { holdSlotForBody } from './slot-body.ts';

/** What differs from a GET without side effects. */
export interface Endpoint extends Partial<ApiCall> {
  /** Values for the placeholders of the path template. */
  values?: Readonly<Record<string, unknown>> | undefined;
  query?: object | undefined;
  /** Why the arguments are invalid, if they are. The promise then rejects. */
  problem?: string | undefined;
}

/** Calls the endpoint at a path template and reads its JSON response. */
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

/** Executes a call and reads its JSON response. An error thrown by `describe` rejects the promise. */
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
 * Starts a call and returns its promise. An error thrown by `describe` rejects it. `transform` converts the result
 * before the promise resolves.
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

/**
 * Executes a call and leaves the body to the caller. Aborting the caller's signal also aborts the body. A call with a
 * concurrency slot holds it until the body ends.
 */
export async function executeRaw(
  context: ClientContext,
  call: ApiCall,
  options: RequestOptions | undefined,
): Promise<ApiResponse<undefined>> {
  const holdsSlot = call.usesSlot && context.config.concurrency !== false;
  const handle = (holdsSlot ? holdSlotForBody : keepBodyUnread)(options?.signal);
  const { data: response, meta } = await execute(context, call, options, handle);
  return { response, meta, data: undefined };
}
