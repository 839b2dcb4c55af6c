import { APIError } from '../../errors/api.ts';
import { PolygateError } from '../../errors/base.ts';
import type { ModelAttempt } from '../../errors/base.ts';
import { unchecked } from '../../types/schema.ts';
import { monotonicNow } from '../config/clock.ts';
import { parseJson } from '../http/json.ts';
import { routeOf } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { fallbackReason } from './failure/fallback.ts';
import type { Fallback } from './failure/fallback.ts';
import type { CheckedOptions } from './request-options.ts';
import type { PreparedCall } from './running-call.ts';

/**
 * Sends a call to one model after the other, until one of them responds or an error ends the call. Models that were over
 * capacity a moment ago are skipped, unless all were. `totalTimeout` counts from the first model.
 */
export async function sendToModels<Result>(
  context: ClientContext,
  { call, options }: PreparedCall,
  { models, isAllowed }: Fallback,
  run: (call: ApiCall, options: CheckedOptions) => Promise<Result>,
): Promise<Result> {
  const { config, shared } = context;
  const { startedAt = monotonicNow(config.clock) } = options;
  const { totalTimeout = config.totalTimeout ?? Infinity } = options;
  const isSkipped = (model: string) => (shared.skippedUntil.get(model) ?? -Infinity) > startedAt;
  const skipped = models.filter(isSkipped);
  const queue = models.filter((model) => !isSkipped(model));
  if (queue.length === 0) queue.push(...skipped.splice(0));
  const attempts: ModelAttempt[] = [];
  for (;;) {
    const model = queue.shift() ?? call.model ?? '';
    try {
      return await run(withModel(call, model, attempts.at(-1)), { ...options, startedAt });
    } catch (error) {
      if (!(error instanceof PolygateError)) throw error;
      const failed = toAttempt(model, error);
      attempts.push(failed);
      const reason = fallbackReason(error, call.safety);
      if (reason === 'overloaded') skipModel(context, model);
      // A skipped model may be the one that the key belongs to.
      if (reason === 'conflict') queue.push(...skipped.splice(0));
      const [next] = queue;
      const isTimeLeft = monotonicNow(config.clock) < startedAt + totalTimeout;
      // After a conflict, no other model is charged: the key belongs to a request that was accepted.
      const isPermitted = () => reason === 'conflict' || permits(context, isAllowed, error, model);
      if (!reason || !next || !isTimeLeft || !isPermitted()) {
        throw Object.defineProperty(error, 'attempts', { value: attempts });
      }
      config.log.warn(() => `${routeOf(call)}: ${describe(failed)}; falling back to ${next}`);
      call.observer?.onRetry?.(failed.outcome);
    }
  }
}

/** The same call to another model. */
function withModel(call: ApiCall, model: string, previous: ModelAttempt | undefined): ApiCall {
  if (model === call.model) return { ...call, hasFallback: true, previous };
  const { body = '' } = call;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const params = unchecked<object>(parseJson(text));
  return {
    ...call,
    hasFallback: true,
    previous,
    model,
    body: JSON.stringify({ ...params, model }),
  };
}

function toAttempt(model: string, error: PolygateError): ModelAttempt {
  const { message, outcome = 'unknown' } = error;
  const { status, code } = error instanceof APIError ? error : {};
  return { model, status, code, message, outcome };
}

/** The model and how it failed, for the log. */
function describe({ model, status, code }: ModelAttempt): string {
  return [model, status ?? 'no response', code].filter(Boolean).join(' ');
}

function skipModel({ config, shared }: ClientContext, model: string): void {
  const { clock, fallbackCooldown } = config;
  shared.skippedUntil.set(model, monotonicNow(clock) + fallbackCooldown);
}

/** Whether the caller permits another model. A callback that fails does not. */
function permits(
  { config }: ClientContext,
  isAllowed: Fallback['isAllowed'],
  error: PolygateError,
  model: string,
): boolean {
  if (!isAllowed) return true;
  try {
    const result: unknown = isAllowed(error, model);
    // Anything else, such as a promise, could permit what the caller does not want to pay for.
    return result === true;
  } catch (thrown) {
    config.log.error(() => `fallbackOn threw: ${String(thrown)}`);
    return false;
  }
}
