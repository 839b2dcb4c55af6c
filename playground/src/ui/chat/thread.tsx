import { useEffect } from 'preact/hooks';

import { turns } from '../../state/turns.ts';
import { Icon } from '../parts/icon.tsx';
import { TurnView } from './turn-view.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

/** The conversation. It follows the newest turn unless the user has scrolled up. */
export function Thread() {
  const { box, isAtBottom, jumpToBottom } = useStickToBottom();
  const all = turns.value;
  const lastId = all.at(-1)?.id;
  const lastQuestion = all.findLast(({ role }) => role === 'user')?.id;
  // A message that was just sent is shown wherever the user was reading.
  useEffect(jumpToBottom, [jumpToBottom, lastId]);
  return (
    <div class="thread-frame">
      {/* The focus makes it possible to scroll with the keyboard. */}
      <div ref={box} class="thread-box" role="log" aria-label="Conversation" tabIndex={0}>
        <ol class="thread">
          {all.map((turn) => (
            <TurnView
              key={turn.id}
              turn={turn}
              isLast={turn.id === lastId || turn.id === lastQuestion}
            />
          ))}
        </ol>
      </div>
      {!isAtBottom && (
        <button type="button" class="secondary jump" onClick={jumpToBottom}>
          <Icon name="down" />
          Jump to latest
        </button>
      )}
    </div>
  );
}
