import { chargesUpTo } from '../../batch/batch-state.ts';
import type { BatchState } from '../../batch/batch-state.ts';
import { usd } from '../parts/money.tsx';
import { images, Line } from './batch-side.tsx';

interface BudgetInvoiceProps {
  state: BatchState;
  /** The budget of each run. */
  budgets: readonly number[];
  /** The budget of the first run, before it is started. */
  planned: number;
}

/** The invoice of a batch with a budget, and how much of the budget is left. */
export function BudgetInvoice({ state, budgets, planned }: BudgetInvoiceProps) {
  const { chargedUsd, phase, rows } = state;
  const budget = budgets.at(-1) ?? planned;
  const price = chargedUsd / Math.max(1, chargesUpTo(rows, state.run));
  // Each run counts with its own budget: a later, higher one must not hide that an earlier one was exceeded.
  const isOver = budgets.some((maxUsd, index) => chargesUpTo(rows, index + 1) * price > maxUsd);
  const tone = isOver ? 'bad' : phase === 'done' || phase === 'paused' ? 'good' : 'open';
  return (
    <article class="plug-side budget-side" data-tone={tone} aria-label="The budget">
      <header>
        <h2>The budget</h2>
        <p class="muted">It applies to all runs with the same journal.</p>
      </header>
      <div class="budget-meter">
        <p>
          <span>Spent</span>
          <span class="money">
            {usd(chargedUsd)} of {usd(budget, 2)}
          </span>
        </p>
        <div class="bar" aria-hidden="true">
          <i style={{ width: `${Math.min(100, (chargedUsd / budget) * 100)}%` }} />
        </div>
      </div>
      <div class="plug-invoice">
        <h3>Invoice of the gateway</h3>
        <ol aria-label="Charges">
          {budgets.map((maxUsd, index) => {
            const count = chargesUpTo(rows, index + 1) - chargesUpTo(rows, index);
            const name = `With a budget of ${usd(maxUsd)}: ${images(count)}`;
            return <Line key={index} name={name} amount={count * price} />;
          })}
        </ol>
        <p class="plug-total">
          <span class="plug-verdict">
            {isOver ? 'over the budget' : chargedUsd > 0 ? 'never over the budget' : ''}
          </span>
          <strong class="money">{usd(chargedUsd)}</strong>
        </p>
      </div>
    </article>
  );
}
