import type { ResponseMeta } from 'polygate';

import { chargeOfFailure } from '../charge.ts';
import type { Charge } from '../charge.ts';
import { needed } from '../needed-options.ts';
import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Report, Skip } from '../run/report.ts';
import { usd } from '../text.ts';
import { vendorHeadersOf } from '../vendor-headers.ts';

/** A request that costs at most the price of its model. */
export interface PaidRequest<Result> {
  readonly model: PricedModel;
  /** Whether a request with its idempotency key was sent before. */
  readonly reusesKey?: boolean;
  readonly send: () => Promise<Paid<Result>>;
}

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
  { model, reusesKey, send }: PaidRequest<Result>,
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
  switch (charge.kind) {
    case 'free':
      break;
    case 'possible':
      spending.addUnconfirmed(priceUsd);
      break;
    case 'reported': {
      const height = spending.add(charge.usd, priceUsd);
      if (height === 'too-high') reportTooHigh(report, model, charge.usd);
      break;
    }
    case 'unreported': {
      const order = spending.addUnreported(priceUsd);
      if (order === 'first') reportUnreported(report, model, charge.meta);
    }
  }
}

function reportTooHigh(report: Report, { id, priceUsd }: PricedModel, chargeUsd: number): void {
  report
    .onAspect('price', 'Listed price')
    .failed(
      `The service charged ${usd(chargeUsd)} for ${id}, but its listed price is at most ${usd(priceUsd)}.`,
      {
        advice:
          'Do not rely on listed prices: a budget reserves them. Ask the operator about the difference.',
      },
    );
}

function reportUnreported(report: Report, { id, priceUsd }: PricedModel, meta: ResponseMeta): void {
  const about = report.onAspect('charge', 'Charge');
  if (meta.chargeUsd !== undefined) {
    const detail = `The response reports a charge of 0 USD, although ${id} has a price. It may have cost ${usd(priceUsd)}.`;
    const advice =
      'Unless it is free for your account, spend, budget and onCharge count too little.';
    return about.warning(detail, { advice });
  }
  const detail = `The response reports no charge, so spend, budget and onCharge do not count it. It may have cost ${usd(priceUsd)}.`;
  const need = needed.headerPrefix(vendorHeadersOf([meta]));
  if (need) return about.warning(detail, need);
  about.failed(detail, { advice: 'Check whether a proxy removes response headers.' });
}
