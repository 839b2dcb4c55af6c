import { checkProblem } from './params.ts';
import { fillPath } from '../http/path.ts';
import type { RequestPromise } from './request-promise.ts';
import { readWithSchema, queryString } from './api-call.ts';
import type { ApiCall, ResponseReader, RequestOptions, ResultSchema } from './api-call.ts';
import { readJson } from './response.ts';
import type { Sender } from './sender.ts';

/** What an endpoint is called with, and how it differs from a GET that changes nothing. */
export interface Endpoint extends Partial<ApiCall> {
  /** What fills its template. */
  values?: Readonly<Record<string, unknown>> | undefined;
  query?: object | undefined;
  /** What is wrong with what the caller gave: the promise is rejected with it. */
  problem?: string | undefined;
}

/** Calls an endpoint that answers with one JSON document. `describe` may refuse: it rejects the promise. */
export function executeJson<Result>(
  sender: Sender,
  describe: () => ApiCall,
  result: ResultSchema<Result> | ResponseReader<Result>,
  options?: RequestOptions,
): RequestPromise<Result> {
  const read = typeof result === 'function' ? result : readWithSchema(result);
  return sender.promise(describe, options, readJson(read), (answer) => answer);
}

/** Calls an endpoint by its template. */
export function requestJson<Result>(
  sender: Sender,
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
  return executeJson(sender, describe, result, options);
}
