import { PolygateError, ResponseValidationError } from 'polygate';
import type { ChatParams, Polygate } from 'polygate';

import type { DiagnosisContext } from '../context.ts';
import { errorResponse, statusOf } from '../failure.ts';
import { cheapestModels, maxOutputTokens } from '../prices.ts';
import type { PricedModel } from '../prices.ts';
import type { Report, Skip } from '../report.ts';
import { checkCharge } from './charge.ts';

/** The chat that the diagnosis sends. */
export function chatParams(model: string): Omit<ChatParams, 'stream'> {
  return {
    model,
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    max_tokens: maxOutputTokens,
  };
}

/** A client for paid requests, which may spend the rest of the limit. */
export function payingClient({ client, spending }: DiagnosisContext, strict: boolean): Polygate {
  return client.withOptions(spending.options(strict));
}

/** Statuses with which a service rejects one model, so that another one may be accepted. */
const rejectsModel: readonly unknown[] = [400, 403, 404, 422, 503];

/** How many models of a type are tried. */
const maxModels = 3;

/** The models of a type that are tried, cheapest first; or why the check is skipped. */
export function choose(
  context: DiagnosisContext,
  type: 'chat' | 'image',
): readonly PricedModel[] | Skip {
  if (context.models === undefined) return { detail: 'The model list could not be read.' };
  const models = cheapestModels(context.models, type).slice(0, maxModels);
  const [cheapest] = models;
  if (cheapest !== undefined) return context.spending.problem(cheapest.priceUsd) ?? models;
  const others = context.models.some((model) => model.type === type);
  return { detail: `The service lists ${others ? 'no price for its' : 'no'} ${type} models.` };
}

/** Sends a request with the first model that the service accepts and whose price fits. */
export async function tryModels<Result>(
  context: DiagnosisContext,
  report: Report,
  models: readonly PricedModel[],
  send: (model: PricedModel) => Promise<Result>,
): Promise<{ model: PricedModel; result: Result }> {
  let rejection: unknown;
  for (const model of models) {
    if (context.spending.problem(model.priceUsd) !== undefined) break;
    try {
      return { model, result: await send(model) };
    } catch (error) {
      commitUnknown(context, report, model, error);
      if (!rejectsModel.includes(statusOf(error))) throw error;
      rejection ??= error;
    }
  }
  throw rejection;
}

/**
 * Counts the price of a request that failed but may have been charged, or whose response reports a charge. A 503 should
 * be free, but a limit holds only if it does not depend on that.
 */
export function commitUnknown(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  error: unknown,
): void {
  const response = errorResponse(error);
  const isCharged = ResponseValidationError.is(error) || response?.meta.chargeUsd !== undefined;
  if (response && isCharged) {
    checkCharge(context, report, model, response.meta);
  } else if ((PolygateError.is(error) && error.outcome === 'unknown') || statusOf(error) === 503) {
    context.spending.commitUnconfirmed(model.priceUsd);
  }
}
