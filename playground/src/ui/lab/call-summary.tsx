import { recoveryOf } from '../../../shared/calls.ts';
import type { Call } from '../../../shared/calls.ts';
import { countPolls, labelOf, toneOf } from './describe-call.ts';

/** The attempts of a call in order, whether it recovered, and its polls. */
export function CallAttempts({ call }: { call: Call }) {
  const { attempts, polls } = call;
  return (
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
  );
}

/** The path below `/v1/`, which may break after a slash only. */
export function PathText({ path }: { path: string }) {
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
