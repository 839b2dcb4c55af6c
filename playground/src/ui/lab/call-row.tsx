import { chargeOf, isOpen, recoveryOf } from '../../../shared/calls.ts';
import type { Call } from '../../../shared/calls.ts';
import { Icon } from '../parts/icon.tsx';
import { Money } from '../parts/money.tsx';
import { CallDetails } from './call-details.tsx';
import { countPolls, formatMs, labelOf, toneOf } from './describe-call.ts';
import { openCalls, setOpen } from './recorder-state.ts';

/** One API call, with its attempts in order, and its details if they are open. */
export function CallRow({ call }: { call: Call }) {
  const { id, at, method, path, attempts, polls } = call;
  const isExpanded = openCalls.value.has(id);
  const detailsId = `call-${attempts[0]?.number ?? 0}`;
  return (
    <li class="call" data-open={isExpanded}>
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
        <Money amount={chargeOf(call)} />
        <span class="call-attempts">
          {attempts.map((attempt) => (
            <span key={attempt.number} class="attempt" data-tone={toneOf(attempt)}>
              {labelOf(attempt)}
            </span>
          ))}
          {recoveryOf(call) !== undefined && <span class="tag tag-replay">recovered</span>}
          {polls.length > 0 && (
            <span class="attempt" data-tone="poll">
              {countPolls(polls)}
            </span>
          )}
        </span>
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

/** The path below `/v1/`, which may break after a slash only. */
function PathText({ path }: { path: string }) {
  const parts = path.replace(/^\/v1\//, '').split('/');
  return (
    <>
      {parts.map((part, index) => (
        <span key={index}>
          {index > 0 && (
            <>
              /<wbr />
            </>
          )}
          {part}
        </span>
      ))}
    </>
  );
}

function durationOf({ at, attempts }: Call): number {
  return Math.max(...attempts.map((attempt) => attempt.at + (attempt.ms ?? 0))) - at;
}
