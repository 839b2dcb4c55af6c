import { phaseOf, totalOf, verdictOf } from '../../plug/side-state.ts';
import type { PlugAttempt, SideState } from '../../plug/side-state.ts';
import { usd } from '../parts/money.tsx';
import { Wire } from './wire.tsx';

interface SideProps {
  title: string;
  /** What this side does after a lost response, in a few words. */
  method: string;
  path: string;
  state: SideState;
}

/** One side of the comparison: its connection, its requests and the invoice of its gateway. */
export function Side({ title, method, path, state }: SideProps) {
  const { attempts, charges, end } = state;
  const tone = charges.length > 1 ? 'bad' : end === undefined ? 'open' : 'good';
  const firstKey = attempts[0]?.key;
  return (
    <article class="plug-side" data-tone={tone} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p class="muted">{method}</p>
      </header>
      <Wire phase={phaseOf(state)} />
      <ol class="plug-attempts" aria-label="Requests">
        {attempts.map((attempt, index) => (
          <li key={index} data-state={attempt.state}>
            <span class="plug-route">
              {index > 0 && <b>again: </b>}POST {path.replace('/v1', '')}
            </span>
            <span class="plug-key" data-same={index > 0 && attempt.key === firstKey && !!firstKey}>
              {describeKey(attempt, index, firstKey)}
            </span>
            <span class="plug-status">{describeResponse(attempt)}</span>
          </li>
        ))}
        {attempts.length === 0 && <li class="muted plug-none">Nothing has been sent.</li>}
      </ol>
      <div class="plug-invoice">
        <h3>
          Invoice <span>of the gateway</span>
        </h3>
        <ol aria-label="Charges">
          {charges.map(({ usd: amount, model }, index) => (
            <li key={index}>
              <span>{model}</span>
              <span class="money">{usd(amount)}</span>
            </li>
          ))}
        </ol>
        <p class="plug-total">
          <span class="plug-verdict">{verdictOf(state)}</span>
          <strong class="money">{usd(totalOf(state))}</strong>
        </p>
      </div>
      {end?.isError === true && <p class="plug-end">{end.text}</p>}
    </article>
  );
}

function describeKey({ key }: PlugAttempt, index: number, firstKey: string | undefined): string {
  if (key === undefined) return 'no key';
  const short = `key ${key.slice(-6)}`;
  return index > 0 && key === firstKey ? `same ${short}` : short;
}

function describeResponse({ state, status, isReplay }: PlugAttempt): string {
  switch (state) {
    case 'sent':
      return '…';
    case 'lost':
      return 'no response';
    case 'response':
      return isReplay === true ? `${status}, the same task` : `${status}`;
  }
}
