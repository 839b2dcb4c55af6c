import type { ResponseMeta } from '../../schemas/meta.ts';
import { notify } from '../config/log.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';

/** Records what the headers of any response report, success or error: its charge, and the account's concurrency. */
export function recordUsage(
  { config, shared }: ClientContext,
  { method, template, model, paid, usesSlot }: ApiCall,
  idempotencyKey: string | undefined,
  meta: ResponseMeta,
): void {
  const { status, concurrency } = meta;
  const route = `${method} ${template}`;
  config.log.debug(() => `${route}: status ${status}, request ${meta.requestId ?? 'without id'}`);
  if (status < 400) shared.retryBudget.refund();
  if (usesSlot && (status < 400 || concurrency.limit !== undefined)) {
    shared.concurrency.recordSuccess(concurrency);
  }
  if (!paid) return;
  const charge = shared.ledger.record({ route, model, idempotencyKey }, meta);
  if (charge === undefined) return;
  config.log.info(() => `${route}: charged ${charge.usd} USD`);
  notify(config.log, config.onCharge, charge, 'onCharge');
}
