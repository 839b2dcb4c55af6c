import type { ResponseMeta, ChatParams, Model, Polygate } from 'polygate';

import { exactUsd, formatUsd } from '../../money.ts';
import { needed, vendorHeadersOf } from '../needed-options.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { statusOf } from '../run/failure.ts';
import type { Report, Skip } from '../run/findings.ts';
import { cheapestModels, maxOutputTokens, chargeOfFailure } from '../spending.ts';
import type { PricedModel, Charge } from '../spending.ts';

/** What a paid request has returned. */
export interface Paid<Result> {
  readonly result: Result;
  readonly charge: Charge;
}

/** A request was sent, and has succeeded. */
export interface Sent<Result> {
  readonly kind: 'sent';
  readonly model: PricedModel;
  readonly result: Result;
}

/** Nothing was sent. */
export interface Skipped {
  readonly kind: 'skipped';
  readonly reason: Skip;
}

/**
 * Sends a request, if its price may still be spent. Counts what it costs, whether it succeeds or not, and reports a
 * charge that is missing or too high.
 */
export async function pay<Result>(
  context: DiagnosisContext,
  report: Report,
  {
    model,
    reusesKey,
    send,
  }: {
    /** The request costs at most its price. */
    readonly model: PricedModel;
    /** Whether a request with its idempotency key was sent before. */
    readonly reusesKey?: boolean;
    readonly send: () => Promise<Paid<Result>>;
  },
): Promise<Sent<Result> | Skipped> {
  const reason = context.spending.problem(model.priceUsd);
  if (reason !== undefined) return { kind: 'skipped', reason };
  let paid: Paid<Result>;
  try {
    paid = await send();
  } catch (error) {
    count(context, report, model, chargeOfFailure(error, { reusesKey }));
    throw error;
  }
  count(context, report, model, paid.charge);
  return { kind: 'sent', model, result: paid.result };
}

function count(
  { spending }: DiagnosisContext,
  report: Report,
  model: PricedModel,
  charge: Charge,
): void {
  const { priceUsd } = model;
  switch (charge.money) {
    case 'none':
      break;
    case 'unknown':
      spending.addUnconfirmed(priceUsd);
      break;
    case 'charged': {
      const height = spending.add(charge.usd, priceUsd);
      if (height === 'too-high') reportTooHigh(report, model, charge.usd);
      break;
    }
    case 'accepted': {
      const order = spending.addUnreported(priceUsd);
      if (order === 'first') reportUnreported(report, model, charge.meta);
    }
  }
}

function reportTooHigh(report: Report, { id, priceUsd }: PricedModel, chargeUsd: number): void {
  report
    .onAspect('price', 'Listed price')
    .failed(
      `The service charged ${exactUsd(chargeUsd)} for ${id}, but its listed price is at most ${exactUsd(priceUsd)}.`,
      {
        advice:
          'Do not rely on listed prices: a budget reserves them. Ask the operator about the difference.',
      },
    );
}

function reportUnreported(report: Report, { id, priceUsd }: PricedModel, meta: ResponseMeta): void {
  const about = report.onAspect('charge', 'Charge');
  if (meta.chargeUsd !== undefined) {
    const detail = `The response reports a charge of $0.00, although ${id} has a price. It may have cost ${formatUsd(priceUsd)}.`;
    const advice =
      'Unless it is free for your account, spend, budget and onCharge count too little.';
    return about.warning(detail, { advice });
  }
  const detail = `The response reports no charge, so spend, budget and onCharge do not count it. It may have cost ${formatUsd(priceUsd)}.`;
  const need = needed.headerPrefix(vendorHeadersOf([meta]));
  if (need) return about.warning(detail, need);
  about.failed(detail, { advice: 'Check whether a proxy removes response headers.' });
}

/**
 * Statuses with which a service rejects one model, so that another one may be accepted. After a 400 or a 422, the
 * client's `fallback` tries no other model. The doctor does: it has chosen all other params itself.
 */
const rejectsModel: readonly unknown[] = [400, 403, 404, 422, 503];

/**
 * Pays for a request with the first model that the service accepts and whose price fits. Throws the first rejection if
 * it accepts none. `send` uses another idempotency key each time: a service may remember the key of a rejected
 * request, and reject any other request with that key with a 409.
 */
export async function payForFirst<Result>(
  context: DiagnosisContext,
  report: Report,
  models: readonly PricedModel[],
  send: (model: PricedModel) => Promise<Paid<Result>>,
): Promise<Sent<Result> | Skipped> {
  let rejection: { readonly error: unknown } | undefined;
  for (const model of models) {
    try {
      const paid = await pay(context, report, { model, send: () => send(model) });
      if (paid.kind === 'sent' || rejection === undefined) return paid;
      break;
    } catch (error) {
      if (!rejectsModel.includes(statusOf(error))) throw error;
      rejection ??= { error };
    }
  }
  if (rejection !== undefined) throw rejection.error;
  return { kind: 'skipped', reason: { detail: 'There is no model to try.' } };
}

/** The chat that the diagnosis sends. */
export function chatParams(model: string): Omit<ChatParams, 'stream'> {
  return {
    model,
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    max_tokens: maxOutputTokens,
  };
}

/** A client for paid requests of a type, which may spend the rest of the limit. */
export const payingClient = (
  { client, spending }: DiagnosisContext,
  type: 'chat' | 'image',
): Polygate => client.withOptions(spending.optionsFor(type));

/** How many models of a type are tried. */
const maxModels = 3;

/** The models of a type that are tried, cheapest first; or why the check is skipped. */
export function choose(
  { spending }: DiagnosisContext,
  models: readonly Model[] | undefined,
  type: 'chat' | 'image',
): { readonly kind: 'candidates'; readonly models: readonly PricedModel[] } | Skipped {
  const skipped = (reason: Skip): Skipped => ({ kind: 'skipped', reason });
  if (models === undefined) return skipped({ detail: 'The model list could not be read.' });
  const candidates = cheapestModels(models, type).slice(0, maxModels);
  const [cheapest] = candidates;
  if (cheapest !== undefined) {
    const problem = spending.problem(cheapest.priceUsd);
    return problem ? skipped(problem) : { kind: 'candidates', models: candidates };
  }
  const others = models.some((model) => model.type === type);
  return skipped({
    detail: `The service lists ${others ? 'no price for its' : 'no'} ${type} models.`,
  });
}
