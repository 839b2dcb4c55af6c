import { chargeOf } from '../../../shared/calls.ts';
import { logMessages } from '../../state/client.ts';
import { clearRecorder } from '../../state/lab.ts';
import { Choice } from '../parts/choice.tsx';
import { decimalsFor } from '../parts/money.tsx';
import { CallRow } from './call-row.tsx';
import {
  callsBy,
  closeAll,
  filter,
  showWaiting,
  shownCalls,
  waitingCount,
} from './recorder-state.ts';
import type { Filter } from './recorder-state.ts';

/** A live record of API calls with their attempts and charges. */
export function FlightRecorder() {
  const counts = callsBy.value;
  const options: readonly (readonly [Filter, string])[] = [
    ['all', `All ${counts.all.length}`],
    ['failures', `Failures ${counts.failures.length}`],
    ['charged', `Charged ${counts.charged.length}`],
  ];
  return (
    <section class="recorder" aria-labelledby="recorder-title">
      <header class="recorder-head">
        <h2 id="recorder-title">Flight recorder</h2>
        <WaitingButton />
        <button
          type="button"
          class="secondary small"
          disabled={counts.all.length === 0}
          onClick={() => {
            closeAll();
            logMessages.value = [];
            void clearRecorder();
          }}
        >
          Clear
        </button>
      </header>
      <Choice
        hideLabel
        label="Calls to show"
        options={options}
        value={filter.value}
        onChange={(chosen) => {
          filter.value = chosen;
        }}
      />
      <Calls />
      <ClientLog />
    </section>
  );
}

function WaitingButton() {
  const count = waitingCount.value;
  if (count === 0) return null;
  return (
    <button type="button" class="primary small" onClick={showWaiting}>
      Show {count} new
    </button>
  );
}

const emptyTexts: Readonly<Record<Filter, string>> = {
  all: 'The API calls of this page appear here, with every attempt. Reads that succeed, such as that of the balance, are left out.',
  failures: 'No attempt has failed.',
  charged: 'Nothing has been charged.',
};

function Calls() {
  const all = shownCalls.value;
  if (all.length === 0) return <p class="recorder-empty muted">{emptyTexts[filter.value]}</p>;
  const decimals = decimalsFor(all.map(chargeOf));
  return (
    <ol class="calls" aria-label="API calls, latest first">
      {all.map((call) => (
        <CallRow key={call.id} call={call} decimals={decimals} />
      ))}
    </ol>
  );
}

/** What the client logged, the latest message first. */
function ClientLog() {
  const messages = logMessages.value;
  if (messages.length === 0) return null;
  return (
    <details class="client-log">
      <summary>
        Warnings of the client <span class="tag tag-busy">{messages.length}</span>
      </summary>
      <ol>
        {messages.toReversed().map(({ at, text }, index) => (
          <li key={messages.length - index}>
            <time>{new Date(at).toLocaleTimeString('en-GB')}</time> {text}
          </li>
        ))}
      </ol>
    </details>
  );
}
