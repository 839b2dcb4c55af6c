import type { Attempt } from '../../../shared/lab.ts';
import { isTrouble } from '../../state/group-attempts.ts';
import type { Call } from '../../state/group-attempts.ts';
import { Money } from '../parts/money.tsx';
import { shortKey } from './short-key.ts';

/** One call: its attempts in order, as the gateway saw them. */
export function CallRow({ call }: { call: Call }) {
  const { at, route, key, attempts, polls, lostPolls, usd } = call;
  return (
    <li class="call">
      <span class="call-route">{route}</span>
      <Money amount={usd} />
      <span class="call-attempts">
        {attempts.map((attempt) => (
          <span key={attempt.number} class="attempt" data-look={lookOf(attempt)}>
            {wordsFor(attempt)}
          </span>
        ))}
        {polls > 0 && (
          <span class="attempt" data-look="poll">
            {polls} {polls === 1 ? 'poll' : 'polls'}
            {lostPolls > 0 && `, ${lostPolls} lost`}
          </span>
        )}
      </span>
      <span class="call-key" title={new Date(at).toLocaleTimeString()}>
        {key === undefined ? 'no key' : shortKey(key)}
      </span>
    </li>
  );
}

/** What an attempt came to, in a word. */
function wordsFor({ state, status, replay }: Attempt): string {
  switch (state) {
    case 'waiting':
      return '…';
    case 'lost':
      return 'no answer';
    case 'streaming':
      return 'streaming';
    case 'cut':
      return 'cut off';
    case 'left':
      return 'stopped';
    case 'answered':
      return replay ? `${status} replay` : String(status);
  }
}

function lookOf(attempt: Attempt): string {
  const { state, status = 0, replay } = attempt;
  if (state === 'waiting' || state === 'streaming') return 'open';
  if (status === 429 || status === 503) return 'busy';
  if (isTrouble(attempt)) return 'lost';
  return replay ? 'replay' : 'fine';
}
