import { computed } from '@preact/signals';

import { logMessages } from '../../state/client.ts';
import { groupAttempts } from '../../state/group-attempts.ts';
import { lab } from '../../state/lab.ts';
import { CallRow } from './call-row.tsx';

const maxRows = 60;

const calls = computed(() => groupAttempts(lab.value?.attempts ?? []));

/** A live log of API calls with their attempts and charges. */
export function RequestLog() {
  const all = calls.value;
  const latest = logMessages.value.at(-1);
  return (
    <section class="request-log" aria-labelledby="request-log-title">
      <h2 id="request-log-title">Request log</h2>
      <p class="note" aria-live="polite">
        {latest === undefined ? 'No warnings so far.' : latest.text}
      </p>
      {all.length === 0 ? (
        <p class="request-log-empty muted">
          The API calls of this page appear here, with every attempt.
        </p>
      ) : (
        <ol class="calls" tabIndex={0} aria-label="API calls, latest first">
          {all.slice(0, maxRows).map((call) => (
            <CallRow key={call.id} call={call} />
          ))}
        </ol>
      )}
    </section>
  );
}
