import { chargeOf } from '../../../shared/calls.ts';
import { Money } from '../parts/money.tsx';
import { CallAttempts, PathText } from './call-summary.tsx';
import { latestCall } from './recorder-state.ts';

/** The latest call, on screens without room for the control room next to a view. */
export function CallStrip() {
  const call = latestCall.value;
  if (call === undefined) return null;
  return (
    <a class="call-strip" href="#lab">
      <span class="visually-hidden">Latest call, in the control room:</span>
      <span class="call-route">
        <PathText path={call.path} />
      </span>
      <CallAttempts call={call} />
      <Money amount={chargeOf(call)} />
    </a>
  );
}
