/** What errors say about charges, and what requests cost. */
export { isUncharged, withEarlierCharge } from '../core/batch/row/charge-rules.ts';
export { reportedCharge } from '../core/limits/reported-charge.ts';
export { requestPrice } from '../core/limits/request-price.ts';
