import { PolygateError } from '../../errors/base.ts';
import { captureContext, startSpan } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import { Part } from '../http/part.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { ApiCall } from './call.ts';
import { limitsOf, loadTime } from './call.ts';
import { openReservation } from './charges.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './errors.ts';
import { CallHistory } from './history.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { runAttempts } from './retry-loop.ts';
import type { PreparedCall, RunningCall } from './running-call.ts';

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

export const fallbackLoop = /* @__PURE__ */ new Part(() => import('./send-to-models.ts'));

/** Whether a call can be sent now: the parts of the client that it needs are loaded, and its body is complete. */
export function hasParts(
  { transport }: ClientContext,
  { fallback, parts = [], completeBody }: PreparedCall,
): boolean {
  // No array is created for the calls that have all their parts, which are nearly all.
  return (
    !completeBody &&
    isLoaded(transport.part) &&
    (!fallback || isLoaded(fallbackLoop)) &&
    parts.every(isLoaded)
  );
}

function isLoaded(part: Part<unknown> | undefined): boolean {
  return part === undefined || part.loaded !== undefined;
}

/** Loads the parts that a call needs in the time that it has, and runs it in the context of the caller. */
export async function loadParts<Result>(
  { config, transport }: ClientContext,
  prepared: PreparedCall,
  run: (ready: PreparedCall) => Promise<Result>,
): Promise<Result> {
  const { call, options, fallback, parts = [], completeBody } = prepared;
  const { clock } = config;
  const enter = captureContext(config);
  const { signal, idempotencyKey } = options;
  const limits = limitsOf(config, monotonicNow(clock), options, call);
  const details = { outcome: 'not-sent', idempotencyKey, task: call.task } as const;
  const load = { signal, timeout: loadTime(limits), clock, details };
  const needed = [transport.part, fallback && fallbackLoop, ...parts];
  await Promise.all(needed.filter((part) => part !== undefined).map((part) => part.load(load)));
  const ready = completeBody ? { ...call, body: await completeBody() } : call;
  const { deadline } = limits;
  return enter(() => run({ ...prepared, call: ready, options: { ...options, deadline } }));
}

/** Starts the span of a call. */
function startCallSpan(config: ClientContext['config'], call: ApiCall, parent: Span | undefined) {
  const { method, template, model, headers, body } = call;
  const operation = {
    type: 'call',
    method,
    template,
    baseURL: config.baseURL,
    model,
    stream: headers?.accept === 'text/event-stream',
    // A copy of bytes: telemetry must not be able to change what is sent.
    body: body?.slice(),
  } as const;
  const span = startSpan(config, operation, parent);
  if (call.previous) {
    const { model: from, status } = call.previous;
    span?.event({ type: 'fallback', from, to: model ?? '', status });
  }
  return span;
}
