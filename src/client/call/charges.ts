import type { ResponseMeta } from '../../wire/types/meta.ts';
import { notify } from '../config/log.ts';
import { singleLine } from '../http/json.ts';
import type { Reservation } from '../limits/ledger.ts';
import { routeOf } from './call.ts';
import type { ApiCall } from './call.ts';
import type { ClientContext } from './context.ts';
import type { RunningCall } from './running-call.ts';

/** Opens the ledger entry of a paid call. */
export function openReservation(
  { shared: { ledger } }: ClientContext,
  call: ApiCall,
  idempotencyKey: string | undefined,
): Reservation {
  const { kind, template, model, safety } = call;
  // The service replays a key only for the same kind of task, so an image and a video with one key are two charges.
  const key = idempotencyKey && `${kind ?? template} ${idempotencyKey}`;
  return ledger.open({
    route: routeOf(call),
    model,
    key,
    safety,
    // With a fallback, requests to different models share the key but not the body.
    hasOneBody: !call.hasFallback,
  });
}

/**
 * Reserves the estimated price of a paid call, or throws if the budget does not cover it. Called before the call waits
 * for a slot, and again right before it is sent.
 */
export function reserveBudget<Result>(
  running: RunningCall<Result>,
  stage: 'queueing' | 'sending',
): void {
  const { context, errors, reservation } = running;
  const { budget } = context.config;
  if (!budget || !reservation) return;
  const price = estimateOf(running);
  const commitments = reservation.reserve(budget, price, stage === 'sending');
  if (commitments) throw errors.budgetExceeded(budget, commitments, price);
}

/**
 * Records the charge that the response to a paid call reports. If the call has succeeded and none is reported, its estimate
 * counts toward the budget.
 */
export function recordCharge<Result>(
  running: RunningCall<Result>,
  reservation: Reservation,
  isSuccess: boolean,
  meta: ResponseMeta,
): void {
  const { context, call, span } = running;
  const { log, onCharge } = context.config;
  const charge = isSuccess
    ? reservation.succeed(chargeOf(running, meta), () => estimateOf(running), meta)
    : // An error that reports 0 has no charge to record: its outcome decides what stays reserved.
      reservation.charge(meta.chargeUsd || undefined, meta);
  if (charge === undefined) return;
  log.info(() => `${routeOf(call)}: charged ${charge.usd} USD`);
  notify(log, onCharge, charge, 'onCharge');
  span?.event({ type: 'charge', charge });
}

function estimateOf<Result>({ context, call }: RunningCall<Result>): number | undefined {
  return call.estimateUsd?.(context.shared.prices.get(call.model ?? ''));
}

/** The reported charge, or the estimate for a charge header that is negative or not a number. */
function chargeOf<Result>(
  running: RunningCall<Result>,
  { chargeUsd, headers }: ResponseMeta,
): number | undefined {
  if (chargeUsd !== undefined) return chargeUsd;
  const { log, headerPrefix } = running.context.config;
  const invalid = headers.get(`${headerPrefix}charge-usd`);
  if (!invalid) return undefined;
  const price = estimateOf(running);
  log.warn(
    () =>
      `${routeOf(running.call)}: the service reported an invalid charge (${singleLine(invalid, 40)}); ` +
      (price === undefined ? 'its price is not known' : `the estimate of ${price} USD is counted`),
  );
  return price;
}
