import { PolygateError } from './base.ts';

/**
 * The request would exceed `budget.maxUsd`, the budget has been used up, or the budget is strict and the price unknown.
 * The request was not sent and nothing was charged.
 *
 * A batch or a recovery throws it when its `maxUsd` or the budget of the client has paused it, after all results that it
 * has.
 */
export class BudgetExceededError extends PolygateError {
  static override readonly className: string = 'BudgetExceededError';
  /** Amount spent so far, in USD. */
  declare readonly spentUsd: number;
  /** The configured budget, in USD. */
  declare readonly maxUsd: number;
  /** Only from a batch or a recovery: number of rows that were yielded as `succeeded` or `failed`. */
  declare readonly rowsDone?: number;
  /**
   * Only from a batch or a recovery: number of rows that were not yielded, because they were not sent, or because this run
   * did not reach them. They stay open. If the inputs are not an array, it counts only the rows that the batch had already
   * read.
   */
  declare readonly rowsOpen?: number;
}
