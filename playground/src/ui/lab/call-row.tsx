import { useEffect, useRef } from 'preact/hooks';

import { chargeOf, isFailure, isOpen } from '../../../shared/calls.ts';
import type { Call } from '../../../shared/calls.ts';
import { Icon } from '../parts/icon.tsx';
import { Money } from '../parts/money.tsx';
import { CallDetails } from './call-details.tsx';
import { CallAttempts, PathText } from './call-summary.tsx';
import { formatMs } from './describe-call.ts';
import { openCalls, setOpen } from './recorder-state.ts';

interface CallRowProps {
  call: Call;
  /** The number of decimals of all amounts in the list. */
  decimals: number;
}

/** One API call, with its attempts in order, and its details if they are open. A plain success takes one line. */
export function CallRow({ call, decimals }: CallRowProps) {
  const { id, at, method, path, attempts } = call;
  const isExpanded = openCalls.value.has(id);
  const detailsId = `call-${attempts[0]?.number ?? 0}`;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isExpanded) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isExpanded]);
  return (
    <li ref={row} class="call" data-open={isExpanded} data-plain={isPlain(call)}>
      <button
        type="button"
        class="call-head"
        aria-expanded={isExpanded}
        aria-controls={isExpanded ? detailsId : undefined}
        onClick={() => setOpen(id, !isExpanded)}
      >
        <span class="call-route">
          <span>
            {method !== 'POST' && `${method} `}
            <PathText path={path} />
          </span>{' '}
          <span class="call-time">
            <time>{new Date(at).toLocaleTimeString('en-GB')}</time>
            {!attempts.some(isOpen) && ` · ${formatMs(durationOf(call))}`}
          </span>
        </span>
        <Money amount={chargeOf(call)} decimals={decimals} />
        <CallAttempts call={call} />
        <Icon name="expand" />
      </button>
      {isExpanded && (
        <div class="call-details" id={detailsId}>
          <CallDetails call={call} />
        </div>
      )}
    </li>
  );
}

/** Whether a call succeeded at the first attempt, and no poll failed. */
function isPlain({ attempts, polls }: Call): boolean {
  const [first] = attempts;
  const isSuccess = first?.state === 'completed' && !first.replay && !isFailure(first);
  return attempts.length === 1 && isSuccess && !polls.some(isFailure);
}

function durationOf({ at, attempts }: Call): number {
  return Math.max(...attempts.map((attempt) => attempt.at + (attempt.ms ?? 0))) - at;
}
