/** What errors say about charges, and what requests cost. */
export { isUncharged, withEarlierCharge } from '../client/batch/charge-rules.ts';
export { reportedCharge } from '../client/limits/reported-charge.ts';
export { requestPrice } from '../client/limits/request-price.ts';
