import { useState } from 'preact/hooks';

import type { Attempt } from '../../../shared/lab.ts';
import { usd } from '../parts/money.tsx';
import { formatMs, labelOf, toneOf } from './describe-call.ts';
import { ExchangeView } from './exchange-view.tsx';

interface AttemptItemProps {
  attempt: Attempt;
  /** Its position in the list, from 1. */
  position: number;
  /** Time since the attempt before it ended. */
  gapMs: number | undefined;
  /** The time axis of the list, in Unix milliseconds. */
  axis: { start: number; end: number };
}

/** One attempt as a bar on the time axis; expanded, what was sent and received. */
export function AttemptItem({ attempt, position, gapMs, axis }: AttemptItemProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { at, ms, chargedUsd, code } = attempt;
  const tone = toneOf(attempt);
  return (
    <li class="timeline-item">
      {gapMs !== undefined && <p class="timeline-gap">{formatMs(gapMs)} later</p>}
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <span class="timeline-number">{position}</span>
          <span class="attempt" data-tone={tone}>
            {labelOf(attempt)}
          </span>
          <span class="timeline-note">
            {code !== undefined && <span class="timeline-code">{code}</span>}
            {chargedUsd !== undefined && <span>charged {usd(chargedUsd)}</span>}
          </span>
          <span class="timeline-ms">{ms === undefined ? '…' : formatMs(ms)}</span>
          <Bar attempt={attempt} axis={axis} />
        </summary>
        {isOpen && <ExchangeView attempt={attempt} />}
      </details>
      <span class="visually-hidden">Started {formatMs(at - axis.start)} after the first.</span>
    </li>
  );
}

/** The time until the response headers in full color, and that of the body after it. */
function Bar({ attempt, axis: { start, end } }: Pick<AttemptItemProps, 'attempt' | 'axis'>) {
  const { at, ms, headersMs } = attempt;
  const share = (duration: number) => `${(duration / (end - start)) * 100}%`;
  const total = ms ?? Math.max(0, end - at);
  return (
    <span class="timeline-track" aria-hidden="true">
      <i
        class="timeline-bar"
        data-tone={toneOf(attempt)}
        style={{ left: share(at - start), width: share(total) }}
      >
        {headersMs !== undefined && (
          <i class="timeline-body" style={{ left: `${(headersMs / Math.max(total, 1)) * 100}%` }} />
        )}
      </i>
    </span>
  );
}
