/** What the budget of rows decides, by the rules of a batch. */
export {
  countedCharge,
  countedFailure,
  highestPrice,
  isUnpriced,
  nextReservation,
  reservationFor,
  reservationProblem,
  unpricedUsd,
} from '../client/batch/budget-decisions.ts';
export type { ReservedAmount } from '../client/batch/budget-decisions.ts';
export { roundUsd } from '../client/limits/round-usd.ts';
