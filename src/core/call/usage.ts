import type { ResponseMeta } from '../../schemas/meta.ts';
import { notify } from '../config/log.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';

/**
 * Records what any response reports, success or error: its charge, the account's limits, and that the service works.
 */
export function recordResponse(
  { config, shared }: ClientContext,
  { method, template, model, paid, usesSlot }: ApiCall,
  idempotencyKey: string | undefined,
  meta: ResponseMeta,
): void {
  const { status, concurrency } = meta;
  const route = `${method} ${template}`;
  config.log.debug(() => `${route}: status ${status}, request id ${meta.requestId ?? 'unknown'}`);
  if (status < 400) shared.retryBudget.refund();
  if (usesSlot && (status < 400 || concurrency.limit !== undefined)) {
    shared.concurrency.recordLimits(concurrency);
  }
  if (!paid) return;
  const charge = shared.ledger.record({ route, model, idempotencyKey }, meta);
  if (charge === undefined) return;
  config.log.info(() => `${route}: charged ${charge.usd} USD`);
  notify(config.log, config.onCharge, charge, 'onCharge');
}
