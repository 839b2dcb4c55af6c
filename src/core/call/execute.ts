import { PolygateError } from '../../errors/base.ts';
import { captureContext } from '../config/caller-context.ts';
import { monotonicNow } from '../config/clock.ts';
import { Part } from '../http/part.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { ApiCall } from './api-call.ts';
import { openReservation } from './attempt/charges.ts';
import { CallHistory } from './attempt/history.ts';
import { limitsOf, loadTime } from './call-limits.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './failure/errors.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { runAttempts } from './retry-loop.ts';
import type { PreparedCall, RunningCall } from './running-call.ts';
import { startCallSpan } from './telemetry.ts';

export const fallbackLoop = /* @__PURE__ */ new Part(() => import('./send-to-models.ts'));

/**
 * Executes an API call. Every request of the client is one, except downloads. The parts of the client that the call needs
 * are loaded before anything is sent.
 */
export function execute<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { fallback, parts = [] } = prepared;
  const { part } = context.transport;
  // No array is created for the calls that have all their parts, which are nearly all.
  const isReady = isLoaded(part) && (!fallback || isLoaded(fallbackLoop)) && parts.every(isLoaded);
  if (isReady) return runCall(context, prepared, handle);
  const needed = [part, fallback && fallbackLoop, ...parts].filter((each) => each !== undefined);
  return loadAndRun(context, prepared, handle, needed);
}

function isLoaded(part: Part<unknown> | undefined): boolean {
  return part === undefined || part.loaded !== undefined;
}

/** Loads parts in the time that the call has, and runs it in the context of the caller. */
async function loadAndRun<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
  parts: readonly Part<unknown>[],
): Promise<ApiResponse<Result>> {
  const { config } = context;
  const { clock } = config;
  const enter = captureContext(config);
  const { call, options } = prepared;
  const { signal, idempotencyKey } = options;
  const limits = limitsOf(config, monotonicNow(clock), options, call);
  const details = { outcome: 'not-sent', idempotencyKey, task: call.task } as const;
  const load = { signal, timeout: loadTime(limits), clock, details };
  await Promise.all(parts.map((part) => part.load(load)));
  const sent = { ...prepared, options: { ...options, deadline: limits.deadline } };
  return enter(() => runCall(context, sent, handle));
}

/** Runs a call on its model, or on its models one after the other. */
function runCall<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { call, options, fallback } = prepared;
  if (!fallback) return runOnModel(context, call, options, handle);
  // Loaded, and called now: the context of the caller ends with this function.
  return fallbackLoop.use(context.config, ({ sendToModels }) =>
    sendToModels(context, prepared, fallback, (...sent) => runOnModel(context, ...sent, handle)),
  );
}

/** Runs a call on its model, until there is a result or a final error. Its span and its reservation end with it. */
function runOnModel<Result>(
  context: ClientContext,
  call: ApiCall,
  options: CheckedOptions,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const running = startCall(context, call, options, handle);
  const { history, span, reservation } = running;
  const result = runInTime(running);
  if (!reservation && !span) return result;
  return result.then(
    (response) => {
      // A stream continues after the call, and ends its span itself.
      if (!history.lease?.isTransferred) span?.end(response);
      return response;
    },
    (error: unknown) => {
      if (error instanceof PolygateError) reservation?.leave(error);
      span?.end({ error });
      throw error;
    },
  );
}

/** Opens the span and the ledger entry of a call, and derives its limits. */
function startCall<Result>(
  context: ClientContext,
  call: ApiCall,
  options: CheckedOptions,
  handle: ResponseHandler<Result>,
): RunningCall<Result> {
  const { config } = context;
  const { idempotencyKey } = options;
  const startedAt = monotonicNow(config.clock);
  const history = new CallHistory();
  return {
    context,
    call,
    options,
    handle,
    history,
    errors: new CallErrors(call, history, idempotencyKey),
    span: config.telemetry && startCallSpan(config, call, options.parent),
    reservation: call.paid ? openReservation(context, call, idempotencyKey) : undefined,
    limits: limitsOf(config, startedAt, options, call),
    startedAt,
  };
}

/** Runs the attempts of a call until its deadline, if it has one. */
function runInTime<Result>(running: RunningCall<Result>): Promise<ApiResponse<Result>> {
  const { context, options, errors, limits, startedAt } = running;
  const { signal } = options;
  const { totalTimeout, deadline } = limits;
  if (deadline === Infinity) return runAttempts(running, signal);
  return runWithTimeLimit((limited) => runAttempts(running, limited), {
    clock: context.config.clock,
    signal,
    ms: deadline - startedAt,
    errors,
    onTimeout: () => errors.timeout(totalTimeout, 'totalTimeout'),
  });
}
