/** Charges and reservations of the calls that share a budget. */
export { createLedger } from '../core/limits/ledger.ts';
export type { Reservation } from '../core/limits/ledger.ts';
export { roundUsd } from '../core/limits/round-usd.ts';
