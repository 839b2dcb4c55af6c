/** Estimates what a request costs, from a body that was not checked. */
export { highestBodyPrice, highestBodyUnits } from '../client/limits/body-price.ts';
export type { KnownPrices } from '../client/limits/prices.ts';
