import type { Polygate } from '../client.ts';

/** Charges and reservations of the calls that share a budget. */
export { createLedger } from '../client/limits/ledger.ts';
export type { Reservation } from '../client/limits/ledger.ts';
export { roundUsd } from '../client/limits/budget.ts';

/** What a client reserves for requests whose charge is not known, in USD. */
export const reservedUsdOf = ({ reservedUsd }: Polygate): number => reservedUsd;
