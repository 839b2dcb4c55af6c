import { PolygateError } from './base.ts';

/**
 * The request would exceed `budget.maxUsd`, the budget has been used up, or the budget is strict and the price unknown.
 * The request was not sent and nothing was charged.
 */
export class BudgetExceededError extends PolygateError {
  static override readonly className: string = 'BudgetExceededError';
  /** Amount spent so far, in USD. */
  declare readonly spentUsd: number;
  /** The configured budget, in USD. */
  declare readonly maxUsd: number;
}
