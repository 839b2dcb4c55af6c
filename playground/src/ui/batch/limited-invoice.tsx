import { chargesUpTo } from '../../batch/batch-state.ts';
import type { BatchState } from '../../batch/batch-state.ts';
import { usd } from '../parts/money.tsx';
import { images, Line } from './batch-side.tsx';

interface LimitedInvoiceProps {
  state: BatchState;
  /** The limit of each run. */
  limits: readonly number[];
  /** The limit of the first run, before it is started. */
  planned: number;
}

/** The invoice of a batch with a budget, and how much of the budget is left. */
export function LimitedInvoice({ state, limits, planned }: LimitedInvoiceProps) {
  const { chargedUsd, phase, rows } = state;
  const limit = limits.at(-1) ?? planned;
  const price = chargedUsd / Math.max(1, chargesUpTo(rows, state.run));
  // Each run counts with its own limit: a later, higher one must not hide that an earlier one was exceeded.
  const isOver = limits.some((maxUsd, index) => chargesUpTo(rows, index + 1) * price > maxUsd);
  const tone = isOver ? 'bad' : phase === 'done' || phase === 'paused' ? 'good' : 'open';
  return (
    <article class="plug-side budget-side" data-tone={tone} aria-label="The limit">
      <header>
        <h3>The limit</h3>
        <p class="muted">It applies to all runs with the same journal.</p>
      </header>
      <div class="budget-meter">
        <p>
          <span>Spent</span>
          <span class="money">
            {usd(chargedUsd)} of {usd(limit, 2)}
          </span>
        </p>
        <div class="bar" aria-hidden="true">
          <i style={{ width: `${Math.min(100, (chargedUsd / limit) * 100)}%` }} />
        </div>
      </div>
      <div class="plug-invoice">
        <h4>Invoice of the gateway</h4>
        <ol aria-label="Charges">
          {limits.map((maxUsd, index) => {
            const count = chargesUpTo(rows, index + 1) - chargesUpTo(rows, index);
            const name = `With a limit of ${usd(maxUsd)}: ${images(count)}`;
            return <Line key={index} name={name} amount={count * price} />;
          })}
        </ol>
        <p class="plug-total">
          <span class="plug-verdict">
            {isOver ? 'over the limit' : chargedUsd > 0 ? 'never over the limit' : ''}
          </span>
          <strong class="money">{usd(chargedUsd)}</strong>
        </p>
      </div>
    </article>
  );
}
