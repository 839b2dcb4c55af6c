import { calls } from '../../state/calls.ts';
import { notes } from '../../state/client.ts';
import { CallRow } from './call-row.tsx';

/** The most that are shown; the gateway's bill has all of them. */
const shown = 60;

/** A live log: what was wanted, every attempt that it took, and what it cost. */
export function Recorder() {
  const all = calls.value;
  const note = notes.value.at(-1);
  return (
    <section class="recorder" aria-labelledby="recorder-title">
      <h2 id="recorder-title">Flight recorder</h2>
      <p class="note" aria-live="polite">
        {note === undefined ? 'The client has had no reason to try anything again.' : note.text}
      </p>
      {all.length === 0 ? (
        <p class="recorder-empty soft">
          What this page asks the gateway for appears here, with every attempt.
        </p>
      ) : (
        <ol class="calls" tabIndex={0} aria-label="Requests, the newest first">
          {all.slice(0, shown).map((call) => (
            <CallRow key={call.id} call={call} />
          ))}
        </ol>
      )}
    </section>
  );
}
