import { APIError } from '../../errors/api.ts';
import type { PolygateError } from '../../errors/base.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { notify } from '../config/log.ts';
import { fitsBudget } from '../limits/budget.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import type { CallErrors } from './errors.ts';
import type { Span } from './telemetry.ts';

/** How one paid call uses the ledger: it reserves its estimated price, and records its charge. */
export function createSpending(
  { config, shared }: ClientContext,
  { model, safety, estimateUsd }: ApiCall,
  errors: CallErrors,
  span: Span | undefined,
) {
  const { ledger, prices } = shared;
  const { route, idempotencyKey } = errors;
  /** Calls with one key share a reservation if the key is charged at most once. `errors` identifies any other call. */
  const owner = safety === 'keyed' ? idempotencyKey : errors;
  let hasReservation = false;
  return {
    /** Reserves the estimated price, or throws if the budget does not cover it. */
    reserve(): void {
      const { budget } = config;
      if (!budget || hasReservation || ledger.hasCharge(owner)) return;
      const price = estimateUsd?.(prices.get(model ?? ''));
      const commitments = ledger.commitments(owner);
      if (!fitsBudget(budget, commitments, price)) {
        throw errors.budgetExceeded(budget, commitments, price);
      }
      if (price === undefined) return;
      ledger.reserve(owner, errors, price);
      hasReservation = true;
    },

    /** Ends the reservation of a call that failed. */
    leave(error: PolygateError): void {
      const { outcome } = error;
      // An earlier call with the key may have been charged. Only if the request itself is invalid, it was not.
      const isInvalid = error instanceof APIError && [400, 404, 422].includes(error.status);
      const released = outcome === 'rejected' && !isInvalid ? 'not-sent' : outcome;
      ledger.leaveReservation(owner, errors, released);
    },

    /** Records the charge that a response reports. */
    record(isSuccess: boolean, meta: ResponseMeta): void {
      if (isSuccess || meta.chargeUsd !== undefined) ledger.releaseReservation(owner);
      const charge = ledger.record({ route, model, idempotencyKey }, meta);
      if (charge === undefined) return;
      config.log.info(() => `${route}: charged ${charge.usd} USD`);
      notify(config.log, config.onCharge, charge, 'onCharge');
      span?.event({ type: 'charge', charge });
    },
  };
}
