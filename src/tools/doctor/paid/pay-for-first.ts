import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { statusOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { pay } from './pay.ts';
import type { Paid, Sent, Skipped } from './pay.ts';

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
