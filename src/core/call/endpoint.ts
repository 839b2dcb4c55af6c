import { checkProblem } from './params.ts';
import { fillPath } from '../http/path.ts';
import type { RequestPromise } from './request-promise.ts';
import { matching, queryString } from './api-call.ts';
import type { Call, Read, RequestOptions, Schema } from './api-call.ts';
import { readJson } from './response.ts';
import type { Sender } from './sender.ts';

/** What an endpoint is called with, and how it differs from a GET that changes nothing. */
export interface Endpoint extends Partial<Call> {
  /** What fills its template. */
  values?: Readonly<Record<string, unknown>> | undefined;
  query?: object | undefined;
  /** What is wrong with what the caller gave: the promise is rejected with it. */
  problem?: string | undefined;
}

/** Calls an endpoint that answers with one JSON document. `describe` may refuse: it rejects the promise. */
export function callEndpoint<Result>(
  sender: Sender,
  describe: () => Call,
  result: Schema<Result> | Read<Result>,
  options?: RequestOptions,
): RequestPromise<Result> {
  const read = typeof result === 'function' ? result : matching(result);
  return sender.promise(describe, options, readJson(read), (answer) => answer);
}

/** Calls an endpoint by its template. */
export function ask<Result>(
  sender: Sender,
  template: string,
  result: Schema<Result> | Read<Result>,
  options: RequestOptions | undefined,
  { values, query, problem, ...call }: Endpoint = {},
): RequestPromise<Result> {
  const describe = (): Call => {
    checkProblem(problem);
    const path = fillPath(template, values) + queryString(query);
    return { method: 'GET', safety: 'safe', template, path, ...call };
  };
  return callEndpoint(sender, describe, result, options);
}
