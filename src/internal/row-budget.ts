/** What the budget of rows decides, by the rules of a batch. */
export {
  isUnpriced,
  nextReservation,
  reservationFor,
  reservationProblem,
  unpricedUsd,
} from '../client/batch/run/budget-decision.ts';
export { countedCharge, countedFailure } from '../client/batch/run/counted-charge.ts';
export { highestPrice } from '../client/batch/run/prices.ts';
export type { ReservedAmount } from '../client/batch/run/budget-decision.ts';
export { roundUsd } from '../client/limits/budget.ts';
