import type { ComponentChildren } from 'preact';

import { totalsOf } from '../../batch/batch-state.ts';
import type { BatchState } from '../../batch/batch-state.ts';
import { usd } from '../parts/money.tsx';
import { Cells } from './cells.tsx';

const phases: Readonly<Record<BatchState['phase'], string>> = {
  idle: 'Ready',
  running: 'Running',
  killed: 'Killed',
  paused: 'Paused at the budget',
  failed: 'Failed',
  done: 'Finished',
};

interface BatchSideProps {
  title: string;
  /** What this side does after a kill, in a few words. */
  method: string;
  state: BatchState;
}

/** One side of the comparison: its images, its requests and the invoice of its gateway. */
export function BatchSide({ title, method, state }: BatchSideProps) {
  const { program, phase, rows, problem } = state;
  const { done, sentAnew, sentWithSameKey, extraCharges, chargesWithoutResult } = totalsOf(state);
  const tone = extraCharges > 0 ? 'bad' : phase === 'done' ? 'good' : 'open';
  return (
    <article class="plug-side batch-side" data-tone={tone} aria-label={title}>
      <header>
        <h2>
          {title} <PhaseTag phase={phase} />
        </h2>
        <p class="muted">{method}</p>
      </header>
      <Cells state={state} />
      <dl class="batch-facts">
        <Count name="Images" tone="done">
          {done} of {rows.length}
        </Count>
        {program === 'usual' ? (
          <Count name="Requests sent again, without a key" tone="twice">
            {sentAnew}
          </Count>
        ) : (
          <Count name="Requests sent again, with the same key" tone="resent">
            {sentWithSameKey}
          </Count>
        )}
      </dl>
      <BatchInvoice state={state} />
      {phase === 'done' && chargesWithoutResult > 0 && (
        <p class="plug-end muted">
          If it saved each result, {chargesWithoutResult} would still be paid twice.
        </p>
      )}
      {problem !== undefined && <p class="problem">{problem}</p>}
    </article>
  );
}

/** What the program does now. */
export function PhaseTag({ phase }: { phase: BatchState['phase'] }) {
  return (
    <span class="tag" data-phase={phase}>
      {phases[phase]}
    </span>
  );
}

/** A number with its color in the squares. */
export function Count(props: { name: string; tone: string; children: ComponentChildren }) {
  const { name, tone, children } = props;
  return (
    <div>
      <dt>
        <i class="swatch" data-tone={tone} aria-hidden="true" />
        {name}
      </dt>
      <dd class="number">{children}</dd>
    </div>
  );
}

function BatchInvoice({ state }: { state: BatchState }) {
  const { charges, extraCharges } = totalsOf(state);
  const { chargedUsd, phase } = state;
  const firstCharges = charges - extraCharges;
  const price = charges === 0 ? 0 : chargedUsd / charges;
  return (
    <div class="plug-invoice">
      <h3>Invoice of the gateway</h3>
      <ol aria-label="Charges">
        {firstCharges > 0 && <Line name={images(firstCharges)} amount={firstCharges * price} />}
        {extraCharges > 0 && (
          <Line name={`${extraCharges} of them again`} amount={extraCharges * price} />
        )}
      </ol>
      <p class="plug-total">
        <span class="plug-verdict">
          {extraCharges > 0
            ? `${extraCharges} paid twice`
            : phase === 'done'
              ? 'each paid once'
              : ''}
        </span>
        <strong class="money">{usd(chargedUsd)}</strong>
      </p>
    </div>
  );
}

/** A line of an invoice. */
export function Line({ name, amount }: { name: string; amount: number }) {
  return (
    <li>
      <span>{name}</span>
      <span class="money">{usd(amount)}</span>
    </li>
  );
}

/** A number of images. */
export const images = (count: number) => (count === 1 ? '1 image' : `${count} images`);
