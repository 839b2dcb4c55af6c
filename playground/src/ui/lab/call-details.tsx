import type { Call } from '../../../shared/calls.ts';
import type { Attempt } from '../../../shared/lab.ts';
import { backend } from '../../backend/server.ts';
import { lab } from '../../state/lab.ts';
import { AttemptItem } from './attempt-item.tsx';
import { CopyCall } from './copy-call.tsx';
import { countPolls, describeCharge, formatMs, formatTime } from './describe-call.ts';
import { Fact } from './fact.tsx';

/** The charge, the facts, the attempts and the polls of a call. */
export function CallDetails({ call }: { call: Call }) {
  const { at, key, attempts, polls, method } = call;
  const last = attempts.at(-1);
  const resource = attempts.find(({ resourceId }) => resourceId !== undefined)?.resourceId;
  return (
    <>
      <p class="call-charge">{describeCharge(call, lab.value?.invoice !== undefined)}</p>
      <dl class="facts">
        <Fact name="Started">{formatTime(at)}</Fact>
        {method !== 'GET' && (
          <Fact name="Idempotency key" copy={key}>
            {key ?? <span class="muted">no idempotency key</span>}
          </Fact>
        )}
        {last?.requestId !== undefined && (
          <Fact name="Request id" copy={last.requestId}>
            {last.requestId}
          </Fact>
        )}
        {method !== 'GET' && resource !== undefined && (
          <Fact name={resource.startsWith('mat_') ? 'Material' : 'Task'} copy={resource}>
            {resource}
          </Fact>
        )}
      </dl>
      {key !== undefined && !backend.isInPage && (
        <p class="exchange-note">
          The idempotency key is as the gateway received it. The proxy derives it from the key of
          the page and the user.
        </p>
      )}
      <h3>{attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}</h3>
      <Timeline attempts={attempts} />
      {polls.length > 0 && (
        <details class="polls">
          <summary>
            {countPolls(polls)}
            {polls.length > 1 && ` · ${formatMs(spanOf(polls))}`}
          </summary>
          <Timeline attempts={polls} />
        </details>
      )}
      <CopyCall call={call} />
    </>
  );
}

/** Attempts on one time axis, with the gaps between them. */
function Timeline({ attempts }: { attempts: readonly Attempt[] }) {
  const start = attempts[0]?.at ?? 0;
  const end = Math.max(...attempts.map(endOf), start + 1);
  return (
    <ol class="timeline">
      {attempts.map((attempt, index) => {
        const before = attempts[index - 1];
        return (
          <AttemptItem
            key={attempt.number}
            attempt={attempt}
            position={index + 1}
            gapMs={before === undefined ? undefined : Math.max(0, attempt.at - endOf(before))}
            axis={{ start, end }}
          />
        );
      })}
    </ol>
  );
}

const endOf = ({ at, ms }: Attempt): number => (ms === undefined ? Date.now() : at + ms);

/** Time from the start of the first attempt to the end of the last. */
function spanOf(attempts: readonly Attempt[]): number {
  return Math.max(...attempts.map(endOf)) - Math.min(...attempts.map(({ at }) => at));
}
