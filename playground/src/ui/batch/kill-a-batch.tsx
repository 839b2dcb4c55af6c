import { useEffect, useMemo } from 'preact/hooks';

import { createBatchRun } from '../../batch/batch-run.ts';
import { totalsOf } from '../../batch/batch-state.ts';
import type { BatchState } from '../../batch/batch-state.ts';
import { polygateSource, usualSource } from '../../batch/sources.ts';
import { RunningCode } from '../code/running-code.tsx';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { BatchSide } from './batch-side.tsx';

/** Runs a batch as a usual script and with polygate, kills both, runs them again, and compares the invoices. */
export function KillABatch() {
  const sides = useMemo(() => [createBatchRun('usual'), createBatchRun('polygate')] as const, []);
  useEffect(() => () => sides.forEach((side) => side.reset()), [sides]);
  const [usual, polygate] = sides;
  const states = [usual.state.value, polygate.state.value] as const;
  const isRunning = states.some(({ phase }) => phase === 'running');
  const isOver = states.every(({ phase }) => phase === 'done' || phase === 'failed');
  const isFirst = states.every(({ run, phase }) => run <= 1 && phase !== 'killed');
  const start = () => {
    if (isRunning) return;
    for (const side of sides) {
      if (isOver) side.reset();
      // One of the two may have finished before the kill.
      if (side.state.value.phase !== 'done') side.start();
    }
  };
  return (
    <div class="plug">
      <div class="plug-start">
        <button type="button" class="primary plug-button" aria-disabled={isRunning} onClick={start}>
          <Icon name="play" />
          {isOver ? 'Start over' : isFirst ? 'Run 24 images' : 'Run again'}
        </button>
        <button
          type="button"
          class="plug-button kill-button"
          aria-disabled={!isRunning}
          onClick={() => sides.forEach((side) => side.kill())}
        >
          <Icon name="stop" />
          Kill
        </button>
        <p class="plug-note" role="status">
          <Note usual={states[0]} polygate={states[1]} />
        </p>
      </div>
      <div class="plug-sides">
        <BatchSide
          title="A usual script"
          method="Killed? It starts over, because its results were in memory."
          state={states[0]}
        />
        <BatchSide
          title="polygate"
          method="Killed? The next run continues from the journal."
          state={states[1]}
        />
      </div>
      <RunningCode programs={{ 'The usual script': usualSource, polygate: polygateSource }} />
    </div>
  );
}

/** What happens now, and the result. */
function Note({ usual, polygate }: { usual: BatchState; polygate: BatchState }) {
  const phases = [usual.phase, polygate.phase];
  const runs = Math.max(usual.run, polygate.run);
  if (runs === 0) {
    return <>Both make the same images, six at a time. Run them, and kill them in the middle.</>;
  }
  if (phases.includes('running')) {
    return runs === 1 ? (
      <>Kill them before they finish.</>
    ) : (
      <>The usual script starts over. polygate continues from its journal.</>
    );
  }
  if (phases.includes('killed')) {
    return <>All that was in memory is gone, also the responses. The journal is left.</>;
  }
  if (phases.includes('failed')) return <>A program has failed.</>;
  const amounts = `${usd(usual.chargedUsd)} against ${usd(polygate.chargedUsd)}.`;
  return (
    <>
      <strong>24 images: {amounts}</strong> {explain(usual, polygate)}
    </>
  );
}

function explain(usual: BatchState, polygate: BatchState): string {
  if (totalsOf(usual).extraCharges === 0) return 'Start over, and kill them in the middle.';
  const { sentWithSameKey } = totalsOf(polygate);
  if (sentWithSameKey === 0) return 'polygate sent no request again.';
  return sentWithSameKey === 1
    ? 'polygate sent one request again, with its key.'
    : `polygate sent ${sentWithSameKey} requests again, with their keys.`;
}
