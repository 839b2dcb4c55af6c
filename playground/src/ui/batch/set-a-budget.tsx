import { useEffect, useMemo, useState } from 'preact/hooks';

import { createBatchRun } from '../../batch/batch-run.ts';
import { totalsOf } from '../../batch/batch-state.ts';
import type { BatchState } from '../../batch/batch-state.ts';
import { polygateSource } from '../../batch/sources.ts';
import { RunningCode } from '../code/running-code.tsx';
import { Choice } from '../parts/choice.tsx';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { Count, PhaseTag } from './batch-side.tsx';
import { BudgetInvoice } from './budget-invoice.tsx';
import { Cells } from './cells.tsx';

const budgets = [
  ['0.15', '$0.15'],
  ['0.25', '$0.25'],
  ['0.35', '$0.35'],
] as const;

/** More than all images cost. */
const enoughUsd = 0.5;

/** Runs a batch with a budget, at which it pauses, and continues it with a higher one. */
export function SetABudget() {
  const batch = useMemo(() => createBatchRun('polygate'), []);
  useEffect(() => () => batch.reset(), [batch]);
  const [budget, setBudget] = useState<(typeof budgets)[number][0]>('0.25');
  const [used, setUsed] = useState<readonly number[]>([]);
  const state = batch.state.value;
  const isRunning = state.phase === 'running';
  const isPaused = state.phase === 'paused';
  const lastUsd = used.at(-1) ?? 0;
  const raisedUsd = Number(budget) > lastUsd ? Number(budget) : enoughUsd;
  const start = () => {
    if (isRunning) return;
    if (!isPaused) batch.reset();
    const maxUsd = isPaused ? raisedUsd : Number(budget);
    setUsed(isPaused ? [...used, maxUsd] : [maxUsd]);
    batch.start(maxUsd);
  };
  const { done } = totalsOf(state);
  return (
    <div class="plug">
      <div class="plug-start">
        <button type="button" class="primary plug-button" aria-disabled={isRunning} onClick={start}>
          <Icon name="play" />
          {isPaused || (isRunning && used.length > 1)
            ? `Raise the budget to ${usd(isPaused ? raisedUsd : lastUsd)}`
            : state.run === 0 || isRunning
              ? 'Run 24 images'
              : 'Run them again'}
        </button>
        <Choice label="Budget" hideLabel options={budgets} value={budget} onChange={setBudget} />
        <p class="plug-note" role="status">
          <Note state={state} maxUsd={lastUsd} />
        </p>
      </div>
      <div class="plug-sides">
        <article class="plug-side batch-side" aria-label="The batch">
          <header>
            <h2>
              The batch <PhaseTag phase={state.phase} />
            </h2>
            <p class="muted">It reserves the price of an image before it sends it.</p>
          </header>
          <Cells state={state} />
          <dl class="batch-facts">
            <Count name="Images" tone="done">
              {done} of {state.rows.length}
            </Count>
            <Count name="Not sent" tone="waiting">
              {state.rows.filter(({ sends }) => sends.length === 0).length}
            </Count>
          </dl>
          {state.problem !== undefined && <p class="problem">{state.problem}</p>}
        </article>
        <BudgetInvoice state={state} budgets={used} planned={Number(budget)} />
      </div>
      <RunningCode programs={{ 'The batch': polygateSource }} />
    </div>
  );
}

/** What happens now, and the result. */
function Note({ state: { phase, chargedUsd }, maxUsd }: { state: BatchState; maxUsd: number }) {
  switch (phase) {
    case 'idle':
      return <>24 images cost $0.48. Choose how much of it the batch may spend.</>;
    case 'running':
      return <>The batch may spend {usd(maxUsd)}, in all its runs together.</>;
    case 'paused':
      return (
        <>
          <strong>
            {usd(chargedUsd)} of {usd(maxUsd)}.
          </strong>{' '}
          The next image would exceed the budget, so it was not sent.
        </>
      );
    case 'done':
      return (
        <>
          <strong>
            {usd(chargedUsd)} of {usd(maxUsd)}.
          </strong>{' '}
          Each image was paid for once.
        </>
      );
    default:
      return <>The program has failed.</>;
  }
}
