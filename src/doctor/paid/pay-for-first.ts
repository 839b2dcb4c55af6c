import type { PricedModel } from '../prices.ts';
import { statusOf } from '../run/failure.ts';
import type { Skip } from '../run/report.ts';
import type { Paid, Payment } from './payment.ts';
import type { Skipped } from './requests.ts';

/** A model that the service has accepted, with the result. */
export interface Accepted<Result> {
  readonly kind: 'accepted';
  readonly model: PricedModel;
  readonly result: Result;
}

/** Statuses with which a service rejects one model, so that another one may be accepted. */
const rejectsModel: readonly unknown[] = [400, 403, 404, 422, 503];

/**
 * Pays for a request with the first model that the service accepts and whose price fits. Throws the first rejection if it
 * accepts none.
 */
export async function payForFirst<Result>(
  payments: readonly Payment[],
  send: (model: PricedModel) => Promise<Paid<Result>>,
  describe: (result: Result, model: PricedModel) => void,
): Promise<Accepted<Result> | Skipped> {
  let rejection: { readonly error: unknown } | undefined;
  let reason: Skip = { detail: 'There is no model to try.' };
  for (const payment of payments) {
    const { model, problem } = payment;
    if (problem !== undefined) {
      reason = problem;
      break;
    }
    let paid: Paid<Result>;
    try {
      paid = await payment.send(() => send(model));
    } catch (error) {
      if (!rejectsModel.includes(statusOf(error))) throw error;
      rejection ??= { error };
      continue;
    }
    payment.describe(paid, (result) => describe(result, model));
    return { kind: 'accepted', model, result: paid.result };
  }
  if (rejection !== undefined) throw rejection.error;
  return { kind: 'skipped', reason };
}
