import { account } from '../../state/account.ts';
import { slots } from '../../state/client.ts';

/** The most slots that are drawn one by one. */
const most = 12;

/** The concurrency gauge: one cell a slot of the account, lit while a request of this page holds it. */
export function Slots() {
  const { inFlight, queued, limit = account.value?.concurrency.limit, source } = slots.value;
  const words = `${inFlight} of ${limit ?? '?'} slots in use, ${queued} waiting`;
  const cells = Math.min(limit ?? 0, most);
  return (
    <div class="slots" role="img" aria-label={words} title={source && `${words} (${source})`}>
      {Array.from({ length: cells }, (_, index) => (
        <svg key={index} viewBox="0 0 14 16" class={index < inFlight ? 'slot slot-on' : 'slot'}>
          <path d="M7 1 13 4.5v7L7 15 1 11.5v-7Z" />
        </svg>
      ))}
      <span class="slots-queued" data-busy={queued > 0}>
        {queued > 0 ? `+${queued}` : `${inFlight}/${limit ?? '?'}`}
      </span>
    </div>
  );
}
