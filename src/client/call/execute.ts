import { PolygateError } from '../../errors/base.ts';
import { monotonicNow } from '../config/clock.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { ApiCall } from './api-call.ts';
import { CallHistory } from './attempt/history.ts';
import { limitsOf } from './call-limits.ts';
import { openReservation } from './charges.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './failure/errors.ts';
import { fallbackLoop, hasParts, loadParts } from './load-parts.ts';
import type { CheckedOptions } from './request/request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { runAttempts } from './retry-loop.ts';
import type { PreparedCall, RunningCall } from './running-call.ts';
import { startCallSpan } from './telemetry.ts';

/**
 * Executes an API call. Every request of the client is one, except downloads. The parts of the client that the call needs
 * are loaded before anything is sent.
 */
export function execute<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  return hasParts(context, prepared)
    ? runCall(context, prepared, handle)
    : loadParts(context, prepared, (ready) => runCall(context, ready, handle));
}

/** Runs a call on its model, or on its models one after the other. */
function runCall<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { call, options, fallback } = prepared;
  if (!fallback) return runOnModel(context, call, options, handle);
  // The loop is loaded, so it is called now, in the async context of the caller.
  return fallbackLoop.use(context.config, ({ sendToModels }) =>
    sendToModels(context, prepared, fallback, (...sent) => runOnModel(context, ...sent, handle)),
  );
}

/** Runs a call on its model, until there is a result or a final error, which ends its reservation and its span. */
function runOnModel<Result>(
  context: ClientContext,
  call: ApiCall,
  options: CheckedOptions,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const running = startCall(context, call, options, handle);
  const { span, reservation } = running;
  const result = runInTime(running);
  if (!reservation && !span) return result;
  return result.then(
    (response) => {
      if (!response.isOpen) span?.end(response);
      return response;
    },
    (error: unknown) => {
      if (PolygateError.is(error)) reservation?.leave(error);
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
  const history = new CallHistory(call, idempotencyKey);
  return {
    context,
    call,
    options,
    handle,
    history,
    errors: new CallErrors(history),
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
  return runWithTimeLimit((...limited) => runAttempts(running, ...limited), {
    clock: context.config.clock,
    signal,
    ms: deadline - startedAt,
    errors,
    onTimeout: () => errors.timeout(totalTimeout, 'totalTimeout'),
  });
}
