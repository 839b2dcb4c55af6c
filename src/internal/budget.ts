/** Rules for budgets, and the sum of charges and reservations that they are applied to. */
export { fitsBudget } from '../core/limits/budget.ts';
export { createLedger } from '../core/limits/ledger.ts';
export { roundUsd } from '../core/limits/round-usd.ts';
