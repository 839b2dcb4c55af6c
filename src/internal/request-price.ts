/** What a request body reveals about its call: its model, and an estimate of its price. */
export { describeBody } from '../core/fetch/routes.ts';
export type { KnownPrices } from '../core/limits/estimate.ts';
