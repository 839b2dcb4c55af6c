/** Estimates what a request costs, from a body that was not checked. */
export { highestBodyPrice } from '../core/limits/highest-body-price.ts';
export type { KnownPrices } from '../core/limits/estimate.ts';
