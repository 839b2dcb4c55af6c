/** Estimates what a request costs, from its endpoint and a body that was not checked. */
export { estimateBody } from '../core/limits/body-price.ts';
export type { KnownPrices } from '../core/limits/estimate.ts';
