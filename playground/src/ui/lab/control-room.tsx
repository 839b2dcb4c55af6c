import { computed } from '@preact/signals';

import type { InvoiceLine } from '../../../shared/lab.ts';
import { lab } from '../../state/lab.ts';
import { currentView } from '../../state/view.ts';
import { RequestLog } from './request-log.tsx';
import { Switches } from './switches.tsx';

/** Injects faults into the gateway and shows how the client recovers. */
export function ControlRoom() {
  // On small screens, the control room is a view of its own.
  const Title = currentView.value === 'lab' ? 'h1' : 'h2';
  return (
    <section class="control" aria-labelledby="control-title">
      <header class="control-head">
        <Title id="control-title">Control room</Title>
        <ChargeSummary />
      </header>
      {lab.value?.gateway.kind === 'real' ? (
        <p class="muted">
          This page uses a real gateway, so faults cannot be injected. To inject faults, start the
          playground without POLYGATE_BASE_URL.
        </p>
      ) : (
        <Switches switches={lab.value?.switches ?? []} />
      )}
      <RequestLog />
    </section>
  );
}

/** Number of charges and of idempotency keys on the invoice. They are equal if nothing was charged twice. */
const totals = computed(() => {
  const charges = (lab.value?.invoice ?? []).filter(isKeyedCharge);
  return { charges: charges.length, keys: new Set(charges.map(({ key }) => key)).size };
});

const isKeyedCharge = ({ kind, key }: InvoiceLine): boolean =>
  kind === 'charge' && key !== undefined;

function ChargeSummary() {
  const { charges, keys } = totals.value;
  if (lab.value?.invoice === undefined) return null;
  if (charges === 0) return <p class="charge-summary">No charges by key yet</p>;
  const isOk = charges === keys;
  return (
    <p class="charge-summary" data-ok={isOk}>
      {isOk
        ? `${keys} ${keys === 1 ? 'key' : 'keys'}, ${charges} ${charges === 1 ? 'charge' : 'charges'}`
        : `${charges - keys} duplicate ${charges - keys === 1 ? 'charge' : 'charges'}`}
    </p>
  );
}
