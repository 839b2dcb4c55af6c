import type { Polygate } from '../client.ts';

/** Charges and reservations of the calls that share a budget. */
export { createLedger } from '../core/limits/ledger.ts';
export type { Reservation } from '../core/limits/ledger.ts';
export { roundUsd } from '../core/limits/round-usd.ts';

/** What a client reserves for requests whose charge is not known, in USD. */
export const reservedUsdOf = ({ reservedUsd }: Polygate): number => reservedUsd;
