import { PolygateError, ResponseValidationError } from 'polygate';
import type { ResponseMeta } from 'polygate';

import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { errorResponse, statusOf } from '../run/failure.ts';
import type { Report, Skip } from '../run/report.ts';
import { usd } from '../text.ts';

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

/** A model that the service has accepted, with the result. */
export interface Accepted<Result> {
  readonly model: PricedModel;
  readonly result: Result;
}

/** Statuses with which a service rejects one model, so that another one may be accepted. */
const rejectsModel: readonly unknown[] = [400, 403, 404, 422, 503];

/**
 * The same with the first model that the service accepts and whose price fits. Throws the first rejection if it accepts
 * none.
 */
export async function payForFirst<Result>(
  context: DiagnosisContext,
  report: Report,
  models: readonly PricedModel[],
  send: (model: PricedModel) => Promise<Paid<Result>>,
  describe: (result: Result, model: PricedModel) => void,
): Promise<Accepted<Result> | Skip> {
  let rejection: { readonly error: unknown } | undefined;
  let problem: Skip = { detail: 'There is no model to try.' };
  for (const model of models) {
    const limit = context.spending.problem(model.priceUsd);
    if (limit !== undefined) {
      problem = limit;
      break;
    }
    let paid: Paid<Result>;
    try {
      paid = await sendAndCountFailure(context, report, model, () => send(model));
    } catch (error) {
      if (!rejectsModel.includes(statusOf(error))) throw error;
      rejection ??= { error };
      continue;
    }
    describeAndCount(context, report, model, paid, (result) => describe(result, model));
    return { model, result: paid.result };
  }
  if (rejection !== undefined) throw rejection.error;
  return problem;
}

/** Sends a request. If it fails, counts the charge that its response reports, or its price if it may have been charged. */
async function sendAndCountFailure<Result>(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const charge = chargeOf(error);
    if (charge === 'possible') context.spending.commitUnconfirmed(model.priceUsd);
    else if (charge !== 'none') checkCharge(context, report, model, charge);
    throw error;
  }
}

/** What is known about the charge of a request that failed: metadata of the response that had it, if there was one. */
function chargeOf(error: unknown): ResponseMeta | 'possible' | 'none' {
  const meta = errorResponse(error)?.meta;
  if (meta && (ResponseValidationError.is(error) || meta.chargeUsd !== undefined)) return meta;
  const isUnknown = PolygateError.is(error) && error.outcome === 'unknown';
  // A 503 should be free, but a limit holds only if it does not depend on that.
  return isUnknown || statusOf(error) === 503 ? 'possible' : 'none';
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

/** Records the charge of a paid response, and reports one that is missing or too high. */
function checkCharge(
  context: DiagnosisContext,
  report: Report,
  { id, priceUsd }: PricedModel,
  meta: ResponseMeta,
): void {
  const problem = context.spending.record(priceUsd, meta);
  const about = report.onAspect('charge', 'Charge');
  if (problem === 'too-high') {
    about.failed(
      `The service charged ${usd(meta.chargeUsd ?? 0)} for ${id}, but its listed price is at most ${usd(priceUsd)}.`,
      {
        advice:
          'Do not rely on listed prices: a budget reserves them. Ask the operator about the difference.',
      },
    );
  }
  if (problem === 'missing') {
    const detail = `The response reports no charge, so spend, budget and onCharge do not count it. It may have cost ${usd(priceUsd)}.`;
    const advice =
      'Check whether a proxy removes response headers. Without them, read the charges in your account.';
    const need = needed.headerPrefix([meta]);
    if (need === undefined) return about.failed(detail, { advice });
    context.adopt(need.option);
    about.warning(detail, need);
  }
}
