import { PolygateError, ResponseValidationError } from 'polygate';
import type { ResponseMeta } from 'polygate';

import type { DiagnosisContext } from '../context.ts';
import { errorResponse, statusOf } from '../failure.ts';
import type { PricedModel } from '../prices.ts';
import type { Report, Skip } from '../report.ts';
import { checkCharge } from './charge.ts';

/** What a paid request has returned. */
export interface Paid<Result> {
  readonly result: Result;
  /** The metadata that reports the charge; undefined if the result shows that there is none. */
  readonly meta: ResponseMeta | undefined;
}

/**
 * Sends a paid request, if its price may still be spent, and counts what it has cost, whether it succeeds or not.
 * `describe` reports what the result shows. Returns why nothing was sent.
 */
export async function pay<Result>(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  send: () => Promise<Paid<Result>>,
  describe: (result: Result) => void,
): Promise<Skip | undefined> {
  const problem = context.spending.problem(model.priceUsd);
  if (problem !== undefined) return problem;
  const paid = await sendAndCountFailure(context, report, model, send);
  describeAndCount(context, report, model, paid, describe);
  return undefined;
}

/** Statuses with which a service rejects one model, so that another one may be accepted. */
const rejectsModel: readonly unknown[] = [400, 403, 404, 422, 503];

/** The same with the first model that the service accepts and whose price fits. */
export async function payForFirst<Result>(
  context: DiagnosisContext,
  report: Report,
  models: readonly PricedModel[],
  send: (model: PricedModel) => Promise<Paid<Result>>,
  describe: (result: Result, model: PricedModel) => void,
): Promise<{ readonly model: PricedModel; readonly result: Result }> {
  let rejection: unknown;
  for (const model of models) {
    if (context.spending.problem(model.priceUsd) !== undefined) break;
    let paid: Paid<Result>;
    try {
      paid = await sendAndCountFailure(context, report, model, () => send(model));
    } catch (error) {
      if (!rejectsModel.includes(statusOf(error))) throw error;
      rejection ??= error;
      continue;
    }
    describeAndCount(context, report, model, paid, (result) => describe(result, model));
    return { model, result: paid.result };
  }
  throw rejection;
}

/**
 * Sends a request. If it fails, counts its price if it may have been charged, or the charge that its response reports. A
 * 503 should be free, but a limit holds only if it does not depend on that.
 */
async function sendAndCountFailure<Result>(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const response = errorResponse(error);
    const isCharged = ResponseValidationError.is(error) || response?.meta.chargeUsd !== undefined;
    if (response && isCharged) {
      checkCharge(context, report, model, response.meta);
    } else if (
      (PolygateError.is(error) && error.outcome === 'unknown') ||
      statusOf(error) === 503
    ) {
      context.spending.commitUnconfirmed(model.priceUsd);
    }
    throw error;
  }
}

/** Reports what a result shows, and counts its charge even if that fails. */
function describeAndCount<Result>(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  { result, meta }: Paid<Result>,
  describe: (result: Result) => void,
): void {
  try {
    describe(result);
  } finally {
    if (meta) checkCharge(context, report, model, meta);
  }
}
