import type { Attempt } from '../../../shared/lab.ts';
import { isFailure } from '../../state/group-attempts.ts';
import type { Call } from '../../state/group-attempts.ts';
import { Money } from '../parts/money.tsx';
import { shortKey } from './short-key.ts';

/** One API call, with its attempts in order. */
export function CallRow({ call }: { call: Call }) {
  const { at, route, key, attempts, polls, failedPolls, usd } = call;
  return (
    <li class="call">
      <span class="call-route">{route}</span>
      <Money amount={usd} />
      <span class="call-attempts">
        {attempts.map((attempt) => (
          <span key={attempt.number} class="attempt" data-tone={toneOf(attempt)}>
            {labelOf(attempt)}
          </span>
        ))}
        {polls > 0 && (
          <span class="attempt" data-tone="poll">
            {polls} {polls === 1 ? 'poll' : 'polls'}
            {failedPolls > 0 && `, ${failedPolls} failed`}
          </span>
        )}
      </span>
      <span class="call-key" title={new Date(at).toLocaleTimeString()}>
        {key === undefined ? 'no key' : shortKey(key)}
      </span>
    </li>
  );
}

function labelOf({ state, status, replay }: Attempt): string {
  switch (state) {
    case 'pending':
      return '…';
    case 'lost':
      return 'no response';
    case 'streaming':
      return 'streaming';
    case 'truncated':
      return 'truncated';
    case 'aborted':
      return 'aborted';
    case 'completed':
      return replay ? `${status} replay` : String(status);
  }
}

function toneOf(attempt: Attempt): string {
  const { state, status = 0, replay } = attempt;
  if (state === 'pending' || state === 'streaming') return 'pending';
  if (status === 429 || status === 503) return 'busy';
  if (isFailure(attempt)) return 'failed';
  return replay ? 'replay' : 'ok';
}
