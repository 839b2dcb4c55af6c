import { resendMessage } from '../../state/chat.ts';
import { activeResponse } from '../../state/turns.ts';
import type { Turn } from '../../state/turns.ts';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** One message, with its cost if it is a response. */
export function TurnView({ turn }: { turn: Turn }) {
  const { role, text, reasoning, images, state, problem } = turn;
  const isBusy = state === 'pending' || state === 'streaming';
  return (
    <li class={`turn turn-${role}`} data-state={state} aria-busy={isBusy}>
      <span class="visually-hidden">{role === 'user' ? 'You:' : 'Assistant:'}</span>
      {reasoning !== '' && (
        <details class="reasoning" open={text === ''}>
          <summary>Reasoning</summary>
          {reasoning}
        </details>
      )}
      <div class="turn-text">
        {text}
        {isBusy && <i class="caret" aria-hidden="true" />}
      </div>
      {images.map((url) => (
        <img key={url} src={url} alt="Generated in this response" class="turn-image" />
      ))}
      {problem && (
        <ProblemNote problem={problem}>
          {text !== '' && <p class="problem-text">The response above is incomplete.</p>}
          <ResendButton id={turn.id} />
        </ProblemNote>
      )}
      {role === 'assistant' && !isBusy && <Metadata turn={turn} />}
    </li>
  );
}

/** Chat requests have no idempotency key, so the user decides whether to send, and pay, again. */
function ResendButton({ id }: { id: string }) {
  if (activeResponse.value !== undefined) return null;
  return (
    <button type="button" class="secondary" onClick={() => void resendMessage(id)}>
      Send again
    </button>
  );
}

function Metadata({ turn: { isAiSdk, tokens, costUsd, model, state } }: { turn: Turn }) {
  const items = [
    model,
    isAiSdk && 'AI SDK',
    tokens && `${tokens.input ?? '?'} input, ${tokens.output ?? '?'} output tokens`,
    costUsd !== undefined && usd(costUsd),
    state === 'stopped' && 'stopped',
  ].filter((item) => typeof item === 'string');
  return <p class="meta">{items.join('  ·  ')}</p>;
}
