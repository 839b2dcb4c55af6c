import { account } from '../../state/account.ts';
import { slots } from '../../state/client.ts';

const maxCells = 12;

/** The concurrency gauge: one cell per slot of the account, highlighted while a request of this page holds it. */
export function Slots() {
  const { inFlight, queued, limit = account.value?.concurrency.limit, source } = slots.value;
  const label = `${inFlight} of ${limit ?? '?'} slots in use, ${queued} waiting`;
  const cells = Math.min(limit ?? 0, maxCells);
  return (
    <div class="slots" role="img" aria-label={label} title={source && `${label} (${source})`}>
      {Array.from({ length: cells }, (_, index) => (
        <svg key={index} viewBox="0 0 14 16" class={index < inFlight ? 'slot slot-on' : 'slot'}>
          <path d="M7 1 13 4.5v7L7 15 1 11.5v-7Z" />
        </svg>
      ))}
      <span class="slots-queued" data-busy={queued > 0}>
        {queued > 0 ? `+${queued}` : `${inFlight}/${limit ?? '…'}`}
      </span>
    </div>
  );
}
