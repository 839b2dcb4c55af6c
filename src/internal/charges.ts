/** What errors say about charges, and what requests cost. */
export { isUncharged, withEarlierCharge } from '../client/batch/row/charge-rules.ts';
export { reportedCharge } from '../client/limits/budget.ts';
export { requestPrice } from '../client/limits/prices.ts';
