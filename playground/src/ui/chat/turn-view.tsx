import { answering, askAgain } from '../../state/chat.ts';
import type { Turn } from '../../state/chat.ts';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** One turn: what was said, by whom, and what it cost. */
export function TurnView({ turn }: { turn: Turn }) {
  const { role, text, thought, images, state, problem } = turn;
  const busy = state === 'waiting' || state === 'streaming';
  return (
    <li class={`turn turn-${role}`} data-state={state} aria-busy={busy}>
      <span class="unseen">{role === 'user' ? 'You:' : 'Answer:'}</span>
      {thought !== '' && (
        <details class="thought" open={text === ''}>
          <summary>Thoughts</summary>
          {thought}
        </details>
      )}
      <div class="turn-text">
        {text}
        {busy && <i class="caret" aria-hidden="true" />}
      </div>
      {images.map((url) => (
        <img key={url} src={url} alt="Drawn in this answer" class="turn-image" />
      ))}
      {problem && (
        <ProblemNote problem={problem}>
          {text !== '' && (
            <p class="problem-text">What had arrived stays above. It is not the whole answer.</p>
          )}
          <AskAgain id={turn.id} />
        </ProblemNote>
      )}
      {role === 'assistant' && !busy && <Facts turn={turn} />}
    </li>
  );
}

/** A chat has no key that protects it, so it is the reader who decides to pay again. */
function AskAgain({ id }: { id: string }) {
  if (answering.value !== undefined) return null;
  return (
    <button type="button" class="quiet" onClick={() => void askAgain(id)}>
      Ask again
    </button>
  );
}

function Facts({ turn: { usage, costUsd, model, state } }: { turn: Turn }) {
  const facts = [
    model,
    usage && `${usage.prompt_tokens} in, ${usage.completion_tokens} out`,
    costUsd !== undefined && usd(costUsd),
    state === 'stopped' && 'stopped',
  ].filter((fact) => typeof fact === 'string');
  return <p class="facts">{facts.join('  ·  ')}</p>;
}
