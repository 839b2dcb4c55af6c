import type { Receipt } from 'polygate';

import { BudgetExceededError } from '../../../errors/call.ts';
import { PaymentRequiredError } from '../../../errors/responses.ts';
import { isUncharged } from '../../../internal/charges.ts';
import { canSucceedLater, slotRejectionOf } from '../../../internal/row-driver.ts';
import type { TaskResult } from '../../../internal/row-driver.ts';
import { errorRecord } from '../row.ts';
import type { RowState } from '../stored-row.ts';
import { endOfUnaccepted, lacksKey, retryAfterOf } from './failures.ts';
import { after, end, whenResumed } from './next-time.ts';
import { afterTask, deadlineAfter } from './poll.ts';
import type { PollTiming } from './poll.ts';
import { settlementOf, settlementOfEarlier, settlementOfLost } from './settlement.ts';
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
  /** Whether the response is that of an earlier request with this key. */
  readonly isReplayed: boolean;
  /** Whether that request may be one of this row, so that the row has paid for it. */
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
  const { receipt, key, isReplayed, isReplayPaid, waitTimeout } = accepted;
  const state = { ...accepted.state, receipt, deadline: deadlineAfter(timing.now, waitTimeout) };
  const { move, ...step } = afterTask({ from: 'submitting', state, key }, result, timing);
  const charge = { replayed: isReplayed, chargeUsd: receipt.chargeUsd, taskId: receipt.id };
  return { ...step, move: { ...move, settlement: settlementOf(charge, isReplayPaid) } };
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
  const settlement = isLost
    ? settlementOfLost(error, isChat)
    : settlementOfEarlier(mayBeCharged, isChat);
  const ended = endOfUnaccepted(error, mayBeCharged, isChat);
  const changed: RowState = {
    ...state,
    mayBeCharged: mayBeCharged || isLost,
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
