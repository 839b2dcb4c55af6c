import { canRetry } from '../../../shared/problem.ts';
import { editMessage, regenerate, tryAgain } from '../../state/chat.ts';
import { activeResponse, chargesOf } from '../../state/turns.ts';
import type { Turn } from '../../state/turns.ts';
import { ViewCode } from '../code/view-code.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { usd } from '../parts/money.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Markdown } from './markdown.tsx';

/** A message or a response, with what can be done with it. */
export function TurnView({ turn, isLast }: { turn: Turn; isLast: boolean }) {
  return turn.role === 'user' ? (
    <Question turn={turn} isLast={isLast} />
  ) : (
    <Response turn={turn} isLast={isLast} />
  );
}

function Question({ turn: { id, text }, isLast }: { turn: Turn; isLast: boolean }) {
  return (
    <li class="turn turn-user">
      <span class="visually-hidden">You:</span>
      <div class="turn-text">{text}</div>
      {isLast && activeResponse.value === undefined && (
        <button type="button" class="ghost" onClick={() => editMessage(id)}>
          <Icon name="edit" />
          Edit
        </button>
      )}
    </li>
  );
}

function Response({ turn, isLast }: { turn: Turn; isLast: boolean }) {
  const { text, reasoning, images, state, problem } = turn;
  const isBusy = state === 'pending' || state === 'streaming';
  return (
    <li class="turn turn-assistant" data-state={state} aria-busy={isBusy}>
      <span class="visually-hidden">Assistant:</span>
      {reasoning !== '' && (
        <details class="reasoning" open={text === ''}>
          <summary>Reasoning</summary>
          {reasoning}
        </details>
      )}
      {(text !== '' || isBusy) && (
        <div class="turn-text prose">{text === '' ? <p /> : <Markdown text={text} />}</div>
      )}
      {images.map((url) => (
        <img key={url} src={url} alt="Generated in this response" class="turn-image" />
      ))}
      {problem && (
        <ProblemNote problem={problem}>
          {/* A chat has no idempotency key, so the user decides whether to send, and pay, again. */}
          {isLast && canRetry(problem) && activeResponse.value === undefined && (
            <button type="button" class="secondary" onClick={() => void tryAgain(turn.id)}>
              <Icon name="retry" />
              Try again
            </button>
          )}
        </ProblemNote>
      )}
      {!isBusy && <Footer turn={turn} isLast={isLast} />}
    </li>
  );
}

/** The cost of a response, and what can be done with it. */
function Footer({ turn, isLast }: { turn: Turn; isLast: boolean }) {
  const { id, text, problem, call } = turn;
  const canRegenerate = isLast && problem === undefined && activeResponse.value === undefined;
  return (
    <div class="turn-foot">
      <p class="meta">{describe(turn)}</p>
      <div class="turn-actions">
        {text !== '' && <CopyButton text={text} label="Copy the response" />}
        {canRegenerate && (
          <button type="button" class="ghost" onClick={() => void regenerate(id)}>
            <Icon name="retry" />
            Regenerate
          </button>
        )}
        {call && <ViewCode call={call} />}
      </div>
    </div>
  );
}

function describe(turn: Turn): string {
  const { isAiSdk, tokens, model, state, text, repeatedAt } = turn;
  const items = [
    model,
    isAiSdk && 'AI SDK',
    tokens && `${tokens.input ?? '?'} input, ${tokens.output ?? '?'} output tokens`,
    describeCharges(chargesOf(turn)),
    state === 'stopped' && 'stopped',
    state === 'failed' && text !== '' && 'incomplete',
    repeatedAt !== undefined && 'sent again below',
  ].filter((item) => typeof item === 'string');
  return items.join('  ·  ');
}

function describeCharges(charges: readonly number[]): string | undefined {
  if (charges.length === 0) return undefined;
  const total = usd(charges.reduce((sum, charge) => sum + charge, 0));
  return charges.length === 1 ? total : `${total} in ${charges.length} charges`;
}
