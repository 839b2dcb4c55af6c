import { PolygateError } from '../../errors/base.ts';
import type { ModelAttempt } from '../../errors/base.ts';
import { APIError } from '../../errors/responses.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import { monotonicNow } from '../config/clock.ts';
import { parseJson } from '../http/json.ts';
import { routeOf, limitsOf } from './api-request.ts';
import type { ApiRequest } from './api-request.ts';
import type { ClientContext, SharedState } from './context.ts';
import { fallbackReason, nextModel } from './fallback.ts';
import type { FallbackReason, ModelOrder } from './fallback.ts';
import { noOptions } from './request-options.ts';
import type { Fallback } from './request-options.ts';

/**
 * Sends a call to one model after the other, until one of them responds or an error ends the call. `totalTimeout` counts
 * from the first model.
 */
export async function sendToModels<Result>(
  context: ClientContext,
  request: ApiRequest,
  { models, isAllowed }: Fallback,
  run: (request: ApiRequest) => Promise<Result>,
): Promise<Result> {
  const { config, shared } = context;
  const { clock, log, fallbackCooldown } = config;
  const now = monotonicNow(clock);
  const { deadline } = limitsOf(config, now, request.options, request);
  const limited = { ...request, options: { ...noOptions, ...request.options, deadline } };
  const order = orderModels(models, shared, now);
  const attempts: ModelAttempt[] = [];
  const reasons: (FallbackReason | undefined)[] = [];
  let [model] = order.ordered;
  for (;;) {
    try {
      return await run(withModel(limited, model, attempts.at(-1)));
    } catch (error) {
      if (!PolygateError.is(error)) throw error;
      const failed = toAttempt(model, error);
      attempts.push(failed);
      const reason = fallbackReason(error, request.safety);
      const failedAt = monotonicNow(clock);
      if (reason === 'overloaded') shared.skippedUntil.set(model, failedAt + fallbackCooldown);
      reasons.push(reason);
      const next = failedAt < deadline ? nextModel(order, reasons) : undefined;
      // After a conflict, no other model is charged: the key belongs to a request that was accepted. Without a code, a 409
      // may have another reason.
      const isKeyUsed = reason === 'conflict' && failed.code !== undefined;
      const isPermitted = () => isKeyUsed || permits(context, isAllowed, error, model);
      if (next === undefined || !isPermitted()) throw withAttempts(error, attempts);
      log.warn(() => `${routeOf(request)}: ${describe(failed)}; falling back to ${next}`);
      request.observer?.onRetry?.(failed.outcome, error);
      model = next;
    }
  }
}

/** The models in the order in which they are tried. Those that were over capacity a moment ago come last, unless all were. */
function orderModels(
  models: Fallback['models'],
  { skippedUntil }: SharedState,
  now: number,
): ModelOrder {
  const isSkipped = (model: string) => (skippedUntil.get(model) ?? -Infinity) > now;
  if (models.every(isSkipped)) return { ordered: models, skipped: [] };
  const [first, ...others] = models.filter((model) => !isSkipped(model));
  const skipped = models.filter(isSkipped);
  return { ordered: [first ?? models[0], ...others, ...skipped], skipped };
}

/** The same request to another model. */
function withModel(
  request: ApiRequest,
  model: string,
  previous: ModelAttempt | undefined,
): ApiRequest {
  if (model === request.model) return { ...request, previous };
  const { body = '' } = request;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const params = unchecked<object>(parseJson(text));
  return {
    ...request,
    previous,
    model,
    body: JSON.stringify({ ...params, model }),
  };
}

function toAttempt(model: string, error: PolygateError): ModelAttempt {
  const { message, outcome = 'unknown' } = error;
  const { status, code } = APIError.is(error) ? error : {};
  return omitUndefined({ model, status, code, message, outcome });
}

/** The error of the last model, which knows nothing about the models before it. */
function withAttempts(error: PolygateError, attempts: readonly ModelAttempt[]): PolygateError {
  return Object.defineProperty(error, 'attempts', { value: attempts });
}

/** The model and how it failed, for the log. */
function describe({ model, status, code }: ModelAttempt): string {
  return [model, status ?? 'no response', code].filter(Boolean).join(' ');
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
