import { captureContext } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import { Part } from '../http/part.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { limitsOf, loadTime } from './api-request.ts';
import type { ApiRequest } from './api-request.ts';
import { budgets, Call } from './call.ts';
import type { ClientContext } from './context.ts';
import { noOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { runAttempts } from './retry-loop.ts';

/**
 * Executes an API call. Every request of the client is one, except downloads. The parts of the client that the call needs
 * are loaded before anything is sent.
 */
export function execute<Result>(
  context: ClientContext,
  request: ApiRequest,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  return withParts(context, request, (ready) => sendToModel(context, ready, handle));
}

/** Runs a request now if the parts that it needs are loaded, and otherwise as soon as they are. */
export function withParts<Result>(
  context: ClientContext,
  request: ApiRequest,
  run: (ready: ApiRequest) => Promise<Result>,
): Promise<Result> {
  return hasParts(context, request) ? run(request) : loadParts(context, request, run);
}

/** Sends a request to its model, or to its models one after the other. */
function sendToModel<Result>(
  context: ClientContext,
  request: ApiRequest,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { fallback } = request;
  if (!fallback) return runCall(new Call(context, request), handle);
  // The loop is loaded, so it is called now, in the async context of the caller.
  return fallbackLoop.use(context.config, ({ sendToModels }) =>
    sendToModels(context, request, fallback, (sent) => runCall(new Call(context, sent), handle)),
  );
}

/** Runs a call until there is a result or a final error, which ends its reservation and its span. */
function runCall<Result>(
  call: Call,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { span, entry } = call;
  const result = runInTime(call, handle);
  if (!entry && !span) return result;
  return result.then(
    (response) => {
      if (!response.isOpen) span?.end(response);
      return response;
    },
    (error: unknown) => {
      entry?.leave(error);
      span?.end({ error });
      throw error;
    },
  );
}

/** Runs the attempts of a call until its deadline, if it has one. */
function runInTime<Result>(
  call: Call,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { signal } = call.options;
  const { totalTimeout, deadline } = call.limits;
  if (deadline === Infinity) return runAttempts(call, handle, signal);
  return runWithTimeLimit((...limited) => runAttempts(call, handle, ...limited), {
    clock: call.config.clock,
    signal,
    ms: deadline - call.startedAt,
    errors: call,
    onTimeout: () => call.timeout(totalTimeout, 'totalTimeout'),
  });
}

export const fallbackLoop = /* @__PURE__ */ new Part(() => import('./send-to-models.ts'));

/** Whether a call can be sent now: the parts of the client that it needs are loaded, and its body is complete. */
function hasParts(
  { transport, config, priceLists }: ClientContext,
  { fallback, paid, parts = [], completeBody }: ApiRequest,
): boolean {
  // No array is created for the calls that have all their parts, which are nearly all.
  return (
    !completeBody &&
    isLoaded(transport.part) &&
    (!fallback || isLoaded(fallbackLoop)) &&
    (!paid || !config.budget || (isLoaded(budgets) && isLoaded(priceLists))) &&
    parts.every(isLoaded)
  );
}

function isLoaded(part: Part<unknown> | undefined): boolean {
  return part === undefined || part.loaded !== undefined;
}

/** Loads the parts that a call needs in the time that it has, and runs it in the context of the caller. */
async function loadParts<Result>(
  { config, transport, priceLists }: ClientContext,
  request: ApiRequest,
  run: (ready: ApiRequest) => Promise<Result>,
): Promise<Result> {
  const { task, options = noOptions, paid, fallback, parts = [], completeBody } = request;
  const { clock } = config;
  const enter = captureContext(config);
  const { signal, idempotencyKey } = options;
  const limits = limitsOf(config, monotonicNow(clock), options, request);
  const details = { outcome: 'not-sent', idempotencyKey, task } as const;
  const load = { signal, timeout: loadTime(limits), clock, details };
  const ofBudget = paid && config.budget ? [budgets, priceLists] : [];
  const needed = [transport.part, fallback && fallbackLoop, ...ofBudget, ...parts];
  await Promise.all(needed.filter((part) => part !== undefined).map((part) => part.load(load)));
  const ready = completeBody ? { ...request, body: await completeBody() } : request;
  const { deadline } = limits;
  return enter(() => run({ ...ready, options: { ...options, deadline } }));
}
