import { computed } from '@preact/signals';

import { describeRepeatedCharges } from '../../../shared/repeated-charges.ts';
import { lab } from '../../state/lab.ts';
import { currentView } from '../../state/view.ts';
import { usd } from '../parts/money.tsx';
import { FlightRecorder } from './flight-recorder.tsx';
import { Switches } from './switches.tsx';

/** Injects faults into the gateway and shows how the client recovers. */
export function ControlRoom() {
  // Next to another view, it is a part of the page; otherwise, it is the view.
  const isView = currentView.value === 'lab';
  const Title = isView ? 'h1' : 'h2';
  return (
    <section class="control" aria-labelledby="control-title" tabIndex={-1}>
      <header class="control-head">
        <Title id="control-title">Control room</Title>
        <ChargeSummary />
      </header>
      <div class="control-parts">
        {lab.value?.gateway.kind === 'real' ? (
          <p class="muted">
            This page uses a real gateway, so faults cannot be injected. To inject faults, start the
            playground without POLYGATE_BASE_URL.
          </p>
        ) : (
          <Switches switches={lab.value?.switches ?? []} />
        )}
        <FlightRecorder />
      </div>
    </section>
  );
}

/** The charges on the invoice, and which of them pay for the same call again. */
const totals = computed(() => {
  const charges = (lab.value?.invoice ?? []).filter(({ kind }) => kind === 'charge');
  const total = charges.reduce((sum, charge) => sum + charge.usd, 0);
  return { count: charges.length, total, repeated: describeRepeatedCharges(charges) };
});

function ChargeSummary() {
  const { count, total, repeated } = totals.value;
  if (lab.value?.invoice === undefined) return null;
  if (count === 0) return <p class="charge-summary">No charges yet</p>;
  return (
    <a class="charge-summary" href="#wallet" data-ok={repeated === undefined}>
      {count} {count === 1 ? 'charge' : 'charges'}, {usd(total)}, {repeated ?? 'none twice'}
    </a>
  );
}
