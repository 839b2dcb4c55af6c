import { lab } from '../../state/lab.ts';
import { here } from '../../state/route.ts';
import { Recorder } from './recorder.tsx';
import { Switches } from './switches.tsx';
import { Verdict } from './verdict.tsx';

/** Where one makes the gateway misbehave, and watches what the client does about it. */
export function ControlRoom() {
  // On a small screen it is a place of its own.
  const Title = here.value === 'lab' ? 'h1' : 'h2';
  return (
    <section class="control" aria-labelledby="control-title">
      <header class="control-head">
        <Title id="control-title">Control room</Title>
        <Verdict />
      </header>
      {lab.value?.gateway.kind === 'real' ? (
        <p class="soft">
          Behind this page is a real gateway, which cannot be told to misbehave. Start the
          playground without POLYGATE_BASE_URL for one that can.
        </p>
      ) : (
        <Switches switches={lab.value?.switches ?? []} />
      )}
      <Recorder />
    </section>
  );
}
