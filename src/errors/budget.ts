import { PolygateError } from './base.ts';

/** The ledger has reached `budget.maxUsd`: nothing was sent, nothing was charged. */
export class BudgetExceededError extends PolygateError {
  static override readonly className: string = 'BudgetExceededError';
  /** Spent so far, USD. */
  declare readonly spentUsd: number;
  /** The limit, USD. */
  declare readonly maxUsd: number;
}
