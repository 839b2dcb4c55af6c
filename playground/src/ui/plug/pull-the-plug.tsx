import { useMemo, useState } from 'preact/hooks';

import { createRace } from '../../plug/race.ts';
import type { Race } from '../../plug/race.ts';
import { plugRequests } from '../../plug/requests.ts';
import type { PlugKind } from '../../plug/requests.ts';
import { totalOf } from '../../plug/side-state.ts';
import type { SideState } from '../../plug/side-state.ts';
import { polygateSource, usualSource } from '../../plug/sources.ts';
import { RunningCode } from '../code/running-code.tsx';
import { Choice } from '../parts/choice.tsx';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { Side } from './side.tsx';

const kinds = [
  ['video', 'Video'],
  ['image', 'Image'],
  ['chat', 'Chat'],
] as const;

/** Loses the response to a paid request, once with a usual retry and once with polygate, and compares the invoices. */
export function PullThePlug() {
  const [kind, setKind] = useState<PlugKind>('video');
  // Another kind of request starts without the results of the last one.
  const race = useMemo(() => createRace(kind), [kind]);
  const isRunning = race.isRunning.value;
  const hasRun = race.usual.value.attempts.length > 0;
  return (
    <div class="plug">
      <div class="plug-start">
        <button
          type="button"
          class="primary plug-button"
          // It keeps the focus while it cannot be used.
          aria-disabled={isRunning}
          onClick={() => void race.run()}
        >
          <Icon name="plug" />
          {hasRun ? 'Pull it again' : 'Pull the plug'}
        </button>
        <Choice hideLabel label="What is sent" options={kinds} value={kind} onChange={setKind} />
        <p class="plug-note" role="status">
          <Note race={race} kind={kind} />
        </p>
      </div>
      <div class="plug-sides plug-pair">
        <Side
          title="A usual retry"
          method="No response? Send it again."
          path={plugRequests[kind].path}
          state={race.usual.value}
        />
        <Side
          title="polygate"
          method={
            kind === 'chat'
              ? 'No response? A chat has no key, so it is not sent again.'
              : 'No response? Send it again with the same key.'
          }
          path={plugRequests[kind].path}
          state={race.polygate.value}
        />
      </div>
      <RunningCode programs={{ 'The usual retry': usualSource, polygate: polygateSource }} />
    </div>
  );
}

/** Why the right side ended as it did. */
function explain({ attempts, end }: SideState): string {
  if (attempts.some(({ isReplay }) => isReplay === true)) {
    return 'The gateway recognized the key, so polygate got the result of the first request.';
  }
  return end?.isError === true
    ? 'polygate reports that it may have been charged, and leaves the decision to you.'
    : '';
}

/** What happens now, and the result. */
function Note({ race, kind }: { race: Race; kind: PlugKind }) {
  const { usual, polygate, isRunning } = race;
  if (usual.value.attempts.length === 0) {
    return <>Both sides send one paid request. The gateway works, but its response is lost.</>;
  }
  if (isRunning.value) return <>The gateway has the request. The response will not arrive.</>;
  const [left, right] = [totalOf(usual.value), totalOf(polygate.value)];
  return (
    <>
      <strong>
        One {kind}: {usd(left)} against {usd(right)}.
      </strong>{' '}
      {explain(polygate.value)}
    </>
  );
}
