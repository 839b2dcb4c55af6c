import type { ChatCompletion } from 'polygate';

import { BudgetExceededError } from '../../errors/budget.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ConcurrencyLimitError, PaymentRequiredError } from '../../errors/status.ts';
import { isUncharged, withEarlierCharge } from '../../internal/charges.ts';
import { canSucceedLater, earlierRowAdvice, isFinalError } from '../../internal/row-driver.ts';
import type { PauseReason, Step } from '../move.ts';
import { errorRecord } from '../row.ts';
import type { RowData, RowState } from '../row.ts';
import { keep, release, replaceBy } from '../settlement.ts';
import { lacksKey, retryAfterOf } from './failures.ts';

/** The shortest delay after a submission for which no slot was free, in ms. */
const slotDelay = 1_000;

/**
 * The first and the longest delay after a failed submission, in ms. Five attempts take more than a minute, so that an
 * outage of a minute fails no rows.
 */
const retryDelay = 5_000;
const maxBackoff = 60_000;

/** What a row has to submit with. */
export interface Attempt {
  readonly state: RowState;
  readonly key: string;
  /** Whether an earlier submission under the key may have been charged. */
  readonly mayBeCharged: boolean;
  /** How many submissions of a row may fail. */
  readonly attempts: number;
  /** The longest delay that the service may request, in ms. */
  readonly maxRetryDelay: number;
  /** Whether the row is a chat, which has no key under which it could be sent again. */
  readonly isChat?: boolean | undefined;
}

/** What decides how a row continues after a failed submission, besides its error. */
interface Circumstances {
  readonly isChat: boolean;
  /** Whether this submission may have been charged. */
  readonly isLost: boolean;
  /** Whether the attempts are used up. */
  readonly isLastAttempt: boolean;
}

/** How a row continues after a failed submission: it waits while the queue is paused, or for something else, or ends. */
type Continuation = Exclude<PauseReason, 'caller'> | 'slot' | 'backoff' | 'end' | 'end-chat';

type Condition = (error: unknown, circumstances: Circumstances) => boolean;

/** The first line that applies decides. */
const continuations: readonly (readonly [Continuation, Condition])[] = [
  // A chat has no key under which it could be sent again.
  ['end-chat', (_, { isChat, isLost }) => isChat && isLost],
  ['authentication', (error) => lacksKey(error)],
  ['balance', (error) => PaymentRequiredError.is(error)],
  ['budget', (error) => BudgetExceededError.is(error)],
  ['slot', (error) => ConcurrencyLimitError.is(error)],
  ['backoff', (error, { isLastAttempt }) => !isLastAttempt && canSucceedLater(error)],
];

/**
 * What follows from a submission that failed without a task. A rejection for lack of a slot, money, budget or a valid API
 * key is no attempt. Other temporary failures are repeated under the same key until the attempts are used up.
 */
export function afterFailedSubmit(attempt: Attempt, error: unknown): Step {
  const { state, key, mayBeCharged, attempts, maxRetryDelay, isChat = false } = attempt;
  const isLost = !isUncharged(error);
  const failures = (state.failures ?? 0) + 1;
  const circumstances = { isChat, isLost, isLastAttempt: failures >= attempts };
  const [continuation = 'end'] =
    continuations.find(([, applies]) => applies(error, circumstances)) ?? [];
  // What an earlier request for a chat may have cost was spent when it was retried.
  const settlement = (isChat ? isLost : mayBeCharged || isLost) ? keep : release;
  const unchanged = { ...state, mayBeCharged: mayBeCharged || isLost };
  const failed = (reason: unknown) => ({ ...unchanged, error: errorRecord(reason, key) });
  const advice = earlierRowAdvice({ isChargedOnce: !isChat });
  const rowError = mayBeCharged ? withEarlierCharge(error, advice) : error;
  const counted = { ...failed(rowError), failures };
  const from = 'submitting';
  const retryAfterMs = Math.min(retryAfterOf(error) ?? 0, maxRetryDelay);

  switch (continuation) {
    case 'authentication':
    case 'balance':
    case 'budget':
      return { move: { from, to: 'waiting', state: unchanged, settlement }, pause: continuation };
    case 'slot':
      return {
        move: { from, to: 'waiting', state: unchanged, settlement },
        delayMs: Math.max(slotDelay, retryAfterMs),
      };
    case 'backoff':
      return {
        move: { from, to: 'waiting', state: counted, settlement },
        delayMs: Math.max(backoffAfter(failures), retryAfterMs),
      };
    case 'end-chat':
      return { move: { from, to: 'unknown', state: failed(error), settlement } };
    case 'end': {
      const progress = { hasTask: false, mayBeCharged, isRecorded: true };
      const to = isFinalError(progress, error) ? 'failed' : 'unknown';
      return { move: { from, to, state: counted, settlement } };
    }
  }
}

const backoffAfter = (failures: number): number =>
  Math.min(maxBackoff, retryDelay * 2 ** (failures - 1));

/** What follows from the completion of a chat. */
export function afterChat(
  state: RowState,
  completion: ChatCompletion,
  chargeUsd: number | undefined,
): Step {
  const ended = { ...state, completion, error: undefined };
  const settlement = chargeUsd === undefined ? keep : replaceBy(chargeUsd);
  return { move: { from: 'submitting', to: 'succeeded', state: ended, settlement } };
}

/** A chat that was admitted. */
interface SubmittedChat {
  readonly data: RowData;
  readonly state: RowState;
  readonly key: string;
}

/** What follows for a chat whose worker has died or has lost its job after it was admitted: it may have been charged. */
export function afterLostChat({ data, state, key }: SubmittedChat): Step {
  const error = new ConnectionError(
    `The worker that sent the chat of row ${data.id} has died or was cut off, so the chat may have been charged. ` +
      'It is sent again only by queue.retry(id), and you may then pay for it a second time.',
    { outcome: 'unknown' },
  );
  const lost = { ...state, mayBeCharged: true, error: errorRecord(error, key) };
  return { move: { from: 'submitting', to: 'unknown', state: lost, settlement: keep } };
}
