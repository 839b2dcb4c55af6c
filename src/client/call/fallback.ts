import { PolygateError } from '../../errors/base.ts';
import { BudgetExceededError, ConnectionError, RequestTimeoutError } from '../../errors/call.ts';
import { APIError } from '../../errors/responses.ts';
import { codeIs } from '../../wire/codes.ts';
import type { Safety } from '../../wire/endpoints/endpoint.ts';

/**
 * Why another model may be tried after an error:
 *
 * - `overloaded`: the model is over capacity.
 * - `unavailable`: the model does not exist, may not be used, could not be reached or does not fit the budget.
 * - `conflict`: an earlier request with the same idempotency key named another model. If that model is in the list, its
 *   request is replayed.
 */
export type FallbackReason = 'overloaded' | 'unavailable' | 'conflict';

/**
 * Decides whether another model may be tried after an error; undefined if not. Only a call that was certainly not charged
 * may be sent to another model, and a key never changes.
 */
export function fallbackReason(error: unknown, safety: Safety): FallbackReason | undefined {
  if (!PolygateError.is(error) || error.task) return undefined;
  if (error.outcome !== 'rejected' && error.outcome !== 'not-sent') return undefined;
  if (!APIError.is(error)) return isModelRelated(error) ? 'unavailable' : undefined;
  const { status, code, outcome } = error;
  // These, and the limits of a user in the proxy, have nothing to do with the model.
  if ([401, 402, 422].includes(status) || codeIs(code, 'user')) return undefined;
  if (codeIs(code, 'model') || outcome === 'not-sent') return 'unavailable';
  switch (status) {
    case 403:
    case 404:
      return 'unavailable';
    case 409:
      // A 409 without a code counts as a conflict of keys.
      return safety === 'keyed' && (code === undefined || codeIs(code, 'conflict'))
        ? 'conflict'
        : undefined;
    case 429:
    case 503:
      return 'overloaded';
    default:
      return undefined;
  }
}

/** Whether a request that was not sent may succeed with another model. A limit of time covers all models. */
function isModelRelated(error: PolygateError): boolean {
  return (
    BudgetExceededError.is(error) || (ConnectionError.is(error) && !RequestTimeoutError.is(error))
  );
}

/** The models of a call. */
export interface ModelOrder {
  /** In the order in which they are tried, the skipped ones last. */
  readonly ordered: readonly [string, ...string[]];
  /** Those that were over capacity a moment ago. */
  readonly skipped: readonly string[];
}

/**
 * The model to try after `reasons.length` models have failed for these reasons; undefined if none is left, or the last
 * failure is final.
 */
export function nextModel(
  { ordered, skipped }: ModelOrder,
  reasons: readonly (FallbackReason | undefined)[],
): string | undefined {
  const next = ordered[reasons.length];
  if (next === undefined || reasons.at(-1) === undefined) return undefined;
  // A skipped model may be the one that the key belongs to.
  return skipped.includes(next) && !reasons.includes('conflict') ? undefined : next;
}
