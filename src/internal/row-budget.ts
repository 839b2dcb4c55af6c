/** What the budget of rows decides, by the rules of a batch. */
export {
  isUnpriced,
  nextReservation,
  reservationFor,
  reservationProblem,
  unpricedUsd,
} from '../core/batch/run/budget-decision.ts';
export { countedCharge, countedFailure } from '../core/batch/run/counted-charge.ts';
export { highestPrice } from '../core/batch/run/prices.ts';
export type { ReservedAmount } from '../core/batch/run/budget-decision.ts';
export { roundUsd } from '../core/limits/round-usd.ts';
