import type { Endpoint } from '../../endpoints/endpoint.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import type { ResponseSchema } from '../../types/schema.ts';
import { captureContext } from '../config/caller-context.ts';
import { fillPath } from '../http/path.ts';
import { callTo } from './api-call.ts';
import type { ApiCall, ResponseReader } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { execute } from './execute.ts';
import { readWithSchema } from './readers.ts';
import { checkRequestOptions, noBodyRules } from './request-options.ts';
import type { CheckedOptions, RequestOptions } from './request-options.ts';
import { RequestPromise } from './request-promise.ts';
import { readJson } from './response.ts';
import type { ApiResponse } from './response.ts';
import { keepBodyUnread } from './unread-body.ts';

/** A call that is ready to be sent. Later changes to the caller's params and options do not affect it. */
export interface PreparedCall {
  readonly call: ApiCall;
  readonly options: CheckedOptions;
}

/** What a request without a body consists of, besides its endpoint. */
export interface RequestDetails {
  /** Values for the placeholders of the path template. */
  values?: Readonly<Record<string, unknown>> | undefined;
  /** Checks the query and returns it as a string with its leading `?`. An error that it throws rejects the promise. */
  query?: (() => string) | undefined;
}

/** Sends a request without a body to an endpoint, and reads its JSON response. */
export function requestJson<Result>(
  context: ClientContext,
  endpoint: Endpoint,
  result: ResponseSchema<Result> | ResponseReader<Result>,
  options: RequestOptions | undefined,
  { values, query }: RequestDetails = {},
): RequestPromise<Result> {
  const prepare = (): PreparedCall => {
    const path = fillPath(endpoint.path, values) + (query?.() ?? '');
    return {
      call: { ...callTo(endpoint, context.config), path },
      options: checkRequestOptions(options, noBodyRules),
    };
  };
  return executeJson(context, prepare, result);
}

/** Executes a call and reads its JSON response. An error thrown by `prepare` rejects the promise. */
export function executeJson<Result>(
  context: ClientContext,
  prepare: () => PreparedCall,
  result: ResponseSchema<Result> | ResponseReader<Result>,
): RequestPromise<Result> {
  const handle = readJson(typeof result === 'function' ? result : readWithSchema(result));
  return startCall(context, prepare, ({ call, options }) =>
    execute(context, call, options, handle),
  );
}

/** Starts a call and returns its promise. An error thrown by `prepare` rejects it. */
export function startCall<Call extends PreparedCall, Result>(
  context: ClientContext,
  prepare: () => Call,
  run: (call: Call) => Promise<ApiResponse<Result>>,
): RequestPromise<Result> {
  const prepared = attempt(prepare);
  const start = (isRaw: boolean) => (isRaw ? executeRaw(context, prepared()) : run(prepared()));
  const enter = captureContext(context.config);
  return new RequestPromise((isRaw) => enter(() => start(isRaw)));
}

/**
 * Executes a call and leaves the body to the caller. Aborting the caller's signal also aborts the body. A call with a
 * concurrency slot holds it until the body ends.
 */
async function executeRaw(
  context: ClientContext,
  { call, options }: PreparedCall,
): Promise<ApiResponse<never>> {
  const holdsSlot = call.usesSlot && context.config.concurrency !== false;
  const handle = keepBodyUnread(holdsSlot, options.signal);
  const { data: response, meta } = await execute(context, call, options, handle);
  return {
    response,
    meta,
    get data(): never {
      throw new ConfigurationError(
        'The result cannot be read, because asResponse() left the body to you. The request was sent once. To get both, call withResponse() instead.',
      );
    },
  };
}

/** Calls `work` now. The returned function returns its result or throws its error, so that a promise can reject with it. */
export function attempt<Result>(work: () => Result): () => Result {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
