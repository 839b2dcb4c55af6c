import type { Receipt, ChatCompletion } from 'polygate';

import { BudgetExceededError, ConnectionError } from '../../../errors/call.ts';
import { PaymentRequiredError } from '../../../errors/responses.ts';
import { isUncharged, canSucceedLater, slotRejectionOf } from '../../../internal.ts';
import { isVoid } from '../../../paid/life.ts';
import type { Verdict } from '../../../paid/verdict.ts';
import type { TaskResult } from '../row-driver.ts';
import { errorRecord } from '../row.ts';
import type { RowState } from '../row.ts';
import { endOfUnaccepted, lacksKey, retryAfterOf } from './failures.ts';
import { afterTask, deadlineAfter } from './poll.ts';
import type { PollTiming } from './poll.ts';
import { settlementOf, settlementOfEarlier, settlementOfLost, undecided } from './settlement.ts';
import { after, end, whenResumed } from './step.ts';
import type { Move, Step } from './step.ts';

/** The shortest delay after a submission for which no slot was free, in ms. */
const slotDelay = 1_000;

/**
 * The first and the longest delay after a failed submission, in ms. Five attempts take more than a minute, so that an
 * outage of a minute fails no rows.
 */
const firstBackoff = 5_000;
const maxBackoff = 60_000;

/** A submission that the service has accepted. */
export interface AcceptedSubmission {
  readonly state: RowState;
  readonly key: string;
  readonly receipt: Receipt;
  readonly verdict: Verdict;
  /** Whether the original of a replay may be a request of this row, so that the row has paid for it. */
  readonly isReplayPaid: boolean;
  /** How long to wait for the task, in ms. */
  readonly waitTimeout: number;
}

/** What follows from a submission that was accepted, and from the state of its task. */
export function afterAccepted(
  accepted: AcceptedSubmission,
  result: TaskResult,
  timing: PollTiming,
): Step {
  const { receipt, key, verdict, isReplayPaid, waitTimeout } = accepted;
  const state = { ...accepted.state, receipt, deadline: deadlineAfter(timing.now, waitTimeout) };
  const { move, ...step } = afterTask({ from: 'submitting', state, key }, result, timing);
  const settlement = settlementOf(verdict, isReplayPaid, receipt.id);
  return { ...step, move: { ...move, settlement } };
}

/** A submission that has failed. */
export interface FailedSubmission {
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

/** What decides how a row continues, besides the error. */
interface Circumstances {
  readonly isChat: boolean;
  /** Whether this submission may have been charged. */
  readonly isLost: boolean;
  /** Whether the attempts are used up. */
  readonly isLastAttempt: boolean;
}

/**
 * How a row continues after a failed submission: it waits while the queue is paused, for a slot or for a while, or
 * ends.
 */
type Continuation = NonNullable<Move['pause']> | 'slot' | 'backoff' | 'end';

type Condition = (error: unknown, circumstances: Circumstances) => boolean;

/** The first line that applies decides; if none does, the row ends. */
const continuations: readonly (readonly [Continuation, Condition])[] = [
  // A chat has no key under which it could be sent again.
  ['end', (_, { isChat, isLost }) => isChat && isLost],
  ['authentication', (error) => lacksKey(error)],
  ['balance', (error) => PaymentRequiredError.is(error)],
  ['budget', (error) => BudgetExceededError.is(error)],
  ['slot', (error) => slotRejectionOf(error) !== undefined],
  ['backoff', (error, { isLastAttempt }) => !isLastAttempt && canSucceedLater(error)],
];

function continuationAfter(error: unknown, circumstances: Circumstances): Continuation {
  const [continuation = 'end'] =
    continuations.find(([, applies]) => applies(error, circumstances)) ?? [];
  return continuation;
}

/**
 * What follows from a submission that failed without a task. A rejection for lack of a slot, money, budget or a valid
 * API key does not count as an attempt. Other temporary failures are repeated under the same key until the attempts are
 * used up.
 */
export function afterFailedSubmit(submission: FailedSubmission, error: unknown): Step {
  const { state, key, mayBeCharged, attempts, maxRetryDelay, isChat = false } = submission;
  const failures = (state.failures ?? 0) + 1;
  const isLost = !isUncharged(error);
  const isOpen = mayBeCharged && !isVoid(error);
  const settlement = isLost
    ? settlementOfLost(error, isChat, state.isCounted === true)
    : settlementOfEarlier(isOpen, isChat);
  const ended = endOfUnaccepted(error, isOpen, isChat);
  const changed: RowState = {
    ...state,
    mayBeCharged: isOpen || isLost,
    isCounted: state.isCounted ?? (settlement.money === 'charged' || undefined),
    error: errorRecord(ended.error, isChat ? undefined : key),
  };
  const moveTo = (to: Move['to'], next: RowState): Move => {
    return { from: 'submitting', to, state: next, settlement };
  };

  const isLastAttempt = failures >= attempts;
  const continuation = continuationAfter(error, { isChat, isLost, isLastAttempt });
  switch (continuation) {
    case 'authentication':
    case 'balance':
    case 'budget':
      return { move: { ...moveTo('waiting', changed), pause: continuation }, next: whenResumed };
    case 'slot':
      return {
        move: moveTo('waiting', changed),
        next: after(delayAfter(error, slotDelay, maxRetryDelay)),
      };
    case 'backoff':
      return {
        move: moveTo('waiting', { ...changed, failures }),
        next: after(delayAfter(error, backoffAfter(failures), maxRetryDelay)),
      };
    case 'end':
      return { move: moveTo(ended.status, { ...changed, failures }), next: end };
  }
}

const backoffAfter = (failures: number): number =>
  Math.min(maxBackoff, firstBackoff * 2 ** (failures - 1));

/**
 * The delay after a failure, in ms: longer than `minDelay` if the service requests it, but then at most
 * `maxRetryDelay`.
 */
const delayAfter = (error: unknown, minDelay: number, maxRetryDelay: number): number =>
  Math.max(minDelay, Math.min(retryAfterOf(error) ?? 0, maxRetryDelay));

/**
 * What follows from the completion of a chat. A replay can only be that of its own request, whose response was lost.
 */
export function afterChat(state: RowState, completion: ChatCompletion, verdict: Verdict): Step {
  const ended = { ...state, completion, error: undefined };
  const settlement = settlementOf(verdict, true);
  return { move: { from: 'submitting', to: 'succeeded', state: ended, settlement }, next: end };
}

/**
 * What follows for a chat whose worker has died or has lost its job after it was admitted: it may have been charged.
 */
export function afterLostChat(id: string, state: RowState): Step {
  const error = new ConnectionError(
    `The worker that sent the chat of row ${id} has died or was cut off, so the chat may have been charged. ` +
      'It is sent again only by queue.retry(id), and you may then pay for it a second time.',
    { outcome: 'unknown', reason: 'resend' },
  );
  const lost = { ...state, mayBeCharged: true, error: errorRecord(error, undefined) };
  return {
    move: { from: 'submitting', to: 'unknown', state: lost, settlement: undecided },
    next: end,
  };
}

/**
 * The step of a chat whose row another worker has recorded as lost in the meantime, because the worker that sent it was
 * cut off from Redis: what the response said replaces the unknown end. The job of the row has ended, so a rejected
 * chat, which would be waiting, ends: `retry` sends it again. Undefined if the response, too, leaves open whether the
 * chat was charged, and reports no charge.
 */
export function lateStep({ move }: Step): Step | undefined {
  const { state, settlement = undecided } = move;
  if (!state.completion && settlement.money === 'unknown') return undefined;
  const rejected = state.mayBeCharged ? 'unknown' : 'failed';
  const to = move.to === 'waiting' ? rejected : move.to;
  return { move: { ...move, from: 'unknown', to }, next: end };
}

/**
 * What is counted for a chat that no row can record anymore, in USD: the charge that its response has reported, or 0 for
 * a completion without one, because what was reserved has been spent already. Undefined if there is nothing to count.
 */
export function lateChargeOf({ state, settlement = undecided }: Move): number | undefined {
  if (settlement.money === 'charged') return settlement.usd;
  return state.completion ? 0 : undefined;
}
