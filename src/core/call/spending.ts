import { APIError } from '../../errors/api.ts';
import type { PolygateError } from '../../errors/base.ts';
import type { Spend } from '../../types/charge.ts';
import type { ResponseMeta } from '../../types/meta.ts';
import { notify } from '../config/log.ts';
import { checkValue, functionValue } from '../config/validation.ts';
import { singleLine } from '../http/json.ts';
import { fitsBudget } from '../limits/budget.ts';
import { routeOf } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import type { CallErrors } from './errors.ts';
import type { Span } from './telemetry.ts';

/** Calls `listener` after each charge in the ledger of a client. Returns a function that stops it. */
export function listenToSpend(
  { config, shared: { ledger } }: ClientContext,
  listener: (spend: Spend) => void,
): () => void {
  checkValue('onSpend', listener, functionValue);
  return ledger.listen(() => notify(config.log, listener, ledger.view, 'onSpend'));
}

/** What one paid call does with the ledger. */
export type Spending = ReturnType<typeof createSpending>;

/** How one paid call uses the ledger: it reserves its estimated price, and records its charge. */
export function createSpending(
  { config, shared }: ClientContext,
  call: ApiCall,
  errors: CallErrors,
  span: Span | undefined,
) {
  const { ledger, prices } = shared;
  const { model, safety, template, kind, estimateUsd } = call;
  const { idempotencyKey } = errors;
  const route = routeOf(call);
  /**
   * Identifies the charge. The service replays a key only for the same kind of task, so an image and a video with one
   * key are two charges.
   */
  const key = idempotencyKey && `${kind ?? template} ${idempotencyKey}`;
  /**
   * Calls with one key share a reservation if the key is charged at most once. An empty object identifies any other call:
   * after an unknown outcome, the ledger keeps it, and must not keep the request with it.
   */
  const owner = safety === 'keyed' ? key : {};
  let hasReservation = false;
  /** This call among those that share the reservation. */
  const holder = {};
  return {
    /**
     * Reserves the estimated price, or throws if the budget does not cover it. Called before the call waits for a slot,
     * and again when it has one.
     */
    reserve(hasSlot: boolean): void {
      const { budget } = config;
      if (!budget || hasReservation || ledger.hasCharge(owner)) return;
      const price = estimateUsd?.(prices.get(model ?? ''));
      const commitments = ledger.commitments(owner);
      if (!fitsBudget(budget, commitments, price)) {
        throw errors.budgetExceeded(budget, commitments, price);
      }
      // The price of a chat is known only afterwards. Once it is sent, it may cost as much as any chat before.
      const reserved = price ?? (hasSlot ? ledger.largestCharge(route) : undefined);
      if (reserved === undefined) return;
      ledger.reserve(owner, holder, reserved);
      hasReservation = true;
    },

    /** Ends the reservation of a call that failed. */
    leave(error: PolygateError): void {
      const { outcome } = error;
      // An earlier call with the key may have been charged. Only if the request itself is invalid, it was not.
      const isInvalid = error instanceof APIError && [400, 404, 422].includes(error.status);
      const released = outcome === 'rejected' && !isInvalid ? 'not-sent' : outcome;
      ledger.leaveReservation(owner, holder, released);
    },

    /** Records the charge that a response reports. */
    record(isSuccess: boolean, meta: ResponseMeta): void {
      const { requestId, taskId, idempotentReplay } = meta;
      // An error that reports a charge of 0 says that nothing was paid for.
      const chargeUsd = isSuccess
        ? (meta.chargeUsd ?? estimateInvalidCharge(meta))
        : meta.chargeUsd || undefined;
      if (isSuccess || chargeUsd !== undefined) ledger.releaseReservation(owner);
      const charge = ledger.record(
        { route, model, key },
        { chargeUsd, requestId, taskId, idempotentReplay },
      );
      if (charge === undefined) return;
      config.log.info(() => `${route}: charged ${charge.usd} USD`);
      notify(config.log, config.onCharge, charge, 'onCharge');
      span?.event({ type: 'charge', charge });
    },
  };

  /** The estimate, for a charge header that is negative, not a number, or sent twice. */
  function estimateInvalidCharge({ headers }: ResponseMeta): number | undefined {
    const reported = headers.get(`${config.headerPrefix}charge-usd`);
    if (!reported) return undefined;
    const price = estimateUsd?.(prices.get(model ?? ''));
    config.log.warn(
      () =>
        `${route}: the service reported an invalid charge (${singleLine(reported, 40)}); ` +
        (price === undefined
          ? 'it is not counted, because the price is not known'
          : `the estimate of ${price} USD is counted`),
    );
    return price;
  }
}
