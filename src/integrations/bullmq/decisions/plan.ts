/**
 * What the rows of tasks and of chats have in common: how a row continues from what is recorded about it, and what follows
 * from a submission that was not accepted.
 */
import { abortedError, BudgetExceededError } from '../../../errors/call.ts';
import { PaymentRequiredError } from '../../../errors/responses.ts';
import { canSucceedLater, failedRow, slotRejectionOf } from '../../../internal.ts';
import { verdictOfError } from '../../../paid/failed-call.ts';
import { fold, mayBeCharged, next, nextChat } from '../../../paid/life.ts';
import type { Life, LifeStep } from '../../../paid/life.ts';
import { isUnpaid } from '../../../paid/verdict.ts';
import type { RowKind } from '../row-driver.ts';
import { errorRecord, lacksKey, retryAfterOf } from '../row.ts';
import type { RowState, StoredRow } from '../row.ts';
import { accepted, noCharges, settlementOfFailed } from './settlement.ts';
import type { FailedCharges } from './settlement.ts';
import { after, end, whenResumed } from './step.ts';
import type { Move, Step } from './step.ts';
import { deadlineAfter } from './task-plan.ts';
import type { PollTiming } from './task-plan.ts';

/** What a plan knows of a row, as it was before the step. */
export type PlannedRow = Pick<StoredRow, 'data' | 'status' | 'state' | 'key'>;

/** What is recorded about a row: its admission before its request is sent, and whether a failed one may have been charged. */
export const lifeOf = ({ data, status, state }: PlannedRow): Life => ({
  // Also if the worker that has sent it has moved it back to waiting since it was read.
  open: Number(status === 'submitting' || state.mayBeCharged === true),
  fingerprint: data.hash,
  // A task that has failed was not charged.
  receipt: status === 'failed' ? undefined : state.receipt,
});

/**
 * How a row continues: for a worker that has taken its job or, once the row has ended, for a retry. A worker that finds a
 * submitting row takes the turn to submit it again under its key, because the worker that has sent it died or lost its job. A
 * chat has no such key; the turn stays that of the worker that has sent it, which may still be alive and record the completion.
 */
export const nextOf = (row: PlannedRow): LifeStep =>
  // Only its caller retries a chat that may have been charged, and accepts that it may be charged again.
  continueFrom(row, lifeOf(row), row.status !== 'submitting');

function continueFrom({ data }: PlannedRow, life: Life, isForced: boolean): LifeStep {
  const wanted = { fingerprint: data.hash, isForced };
  return data.kind === 'chat' ? nextChat(life, wanted) : next(life, wanted, 'key');
}

/** Whether a retry needs a new key. A chat that is sent again may be charged again, as if it had one. */
export const needsNewKey = (kind: RowKind, isAnew: boolean): boolean => isAnew || kind === 'chat';

/** How a failed or unknown row is retried: with a new key, with its task, or with another submission under its key. */
export function afterRetry(
  row: PlannedRow,
  newKey: string | undefined,
  now: number,
  waitTimeout: number,
): Omit<Move, 'from'> {
  const { data, state } = row;
  const { key, mayBeCharged: isOpen, countedUsd, reservesAnew } = state;
  if (newKey) {
    // The errors of a chat still say that an earlier request of the row may have been charged.
    const earlier = data.kind === 'chat' ? { mayBeCharged: isOpen } : {};
    // What was reserved for the old key may have been charged.
    return { to: 'waiting', state: { key: newKey, ...earlier }, settlement: accepted };
  }
  if (nextOf(row) === 'wait') {
    const deadline = deadlineAfter(now, waitTimeout);
    return { to: 'running', state: { ...state, deadline, interval: undefined } };
  }
  return { to: 'waiting', state: { key, mayBeCharged: isOpen, countedUsd, reservesAnew } };
}

/** The shortest delay after a submission for which no slot was free, in ms. */
const slotDelay = 1_000;

/**
 * The first and the longest delay after a failed submission, in ms. Five attempts take more than a minute, so that an
 * outage of a minute fails no rows.
 */
const firstBackoff = 5_000;
const maxBackoff = 60_000;

/**
 * How a row continues after a failed submission: it waits while the queue is paused, for a slot or for a while, or
 * ends.
 */
type Continuation = NonNullable<Move['pause']> | 'slot' | 'backoff' | 'end';

type Condition = (error: unknown, row: { step: LifeStep; isLastAttempt: boolean }) => boolean;

/** The first line that applies decides; if none does, the row ends. */
const continuations: readonly (readonly [Continuation, Condition])[] = [
  ['end', (_, { step }) => step === 'chat_lost'],
  ['authentication', (error) => lacksKey(error)],
  ['balance', (error) => PaymentRequiredError.is(error)],
  ['budget', (error) => BudgetExceededError.is(error)],
  ['slot', (error) => slotRejectionOf(error) !== undefined],
  ['backoff', (error, { isLastAttempt }) => !isLastAttempt && canSucceedLater(error)],
];

/**
 * What follows from a submission that failed without a task. A rejection for lack of a slot, money, budget or a valid
 * API key does not count as an attempt. Other temporary failures are repeated under the same key until the attempts are
 * used up. `attempts`: how many submissions of a row may fail. `charged`: what its responses cost.
 */
export function afterFailedSubmit(
  row: PlannedRow,
  error: unknown,
  { attempts, charged }: { readonly attempts: number; readonly charged?: FailedCharges },
  { maxRetryDelay }: Pick<PollTiming, 'maxRetryDelay'>,
): Step {
  const { step, state, status, settlement } = foldFailure(row, error, charged);
  const failures = (state.failures ?? 0) + 1;
  const isLastAttempt = failures >= attempts;
  const [continuation = 'end'] =
    continuations.find(([, applies]) => applies(error, { step, isLastAttempt })) ?? [];
  const moveTo = (to: Move['to'], changed: RowState = state): Move => ({
    from: 'submitting',
    to,
    state: changed,
    settlement,
  });
  const delayOf = (minDelay: number) =>
    after(Math.max(minDelay, Math.min(retryAfterOf(error) ?? 0, maxRetryDelay)));
  switch (continuation) {
    case 'authentication':
    case 'balance':
    case 'budget':
      return { move: { ...moveTo('waiting'), pause: continuation }, next: whenResumed };
    case 'slot':
      return { move: moveTo('waiting'), next: delayOf(slotDelay) };
    case 'backoff': {
      const backoff = Math.min(maxBackoff, firstBackoff * 2 ** (failures - 1));
      return { move: moveTo('waiting', { ...state, failures }), next: delayOf(backoff) };
    }
    case 'end':
      return { move: moveTo(status, { ...state, failures }), next: end };
  }
}

/**
 * What follows for a row that was admitted after its worker had been closed, as when Redis was unreachable meanwhile:
 * it is not sent, so that another worker may submit it.
 */
export function afterClose(row: PlannedRow): Step {
  const message = 'The worker was closed before the row was sent.';
  const unsent = abortedError(undefined, { outcome: 'not-sent' }, message);
  const { state, settlement } = foldFailure(row, unsent);
  return { move: { from: 'submitting', to: 'waiting', state, settlement }, next: after(0) };
}

/**
 * What follows for a row that was charged, and whose next request the budget does not cover: it ends, because no other row says that
 * it was charged. `problem` says why.
 */
export function afterExceeded({ status, state, key }: PlannedRow, problem: string): Step {
  const error = new BudgetExceededError(
    `The queue does not send the row again at its maxUsd: ${problem}. It was charged. Raise maxUsd, then call queue.retry(id).`,
    { outcome: 'unknown' },
  );
  const ended = { ...state, error: errorRecord(error, key) };
  return { move: { from: status, to: 'unknown', state: ended }, next: end };
}

/**
 * What a submission that was not accepted leaves of its row, and how the row ends if it does. Its error, which the row also
 * keeps if it waits, says what is known about all submissions.
 */
function foldFailure(
  row: PlannedRow,
  thrown: unknown,
  { usd: chargedUsd, largestUsd, isKnown }: FailedCharges = noCharges,
) {
  const { data, state, key } = row;
  const isChat = data.kind === 'chat';
  const verdict = verdictOfError(thrown);
  const life = fold(fold(lifeOf(row), { sent: data.hash }), verdict);
  const isOpen = mayBeCharged(life);
  const isCharged = chargedUsd > 0;
  const isAgain = isCharged ? state.countedUsd !== undefined : state.reservesAnew === true;
  const reservesAnew = isAgain && isKnown;
  const settlement = settlementOfFailed(verdict, { isChat, isOpen, reservesAnew, chargedUsd });
  const { status, error } = failedRow(
    {
      hasTask: false,
      mayBeCharged: isOpen,
      isRecorded: true,
      isChargedOnce: !isChat,
      isPauseReason: false,
    },
    thrown,
  );
  return {
    // The caller has accepted what earlier requests of a chat may have cost, and not what this one may.
    step: continueFrom(row, life, isUnpaid(verdict)),
    status,
    settlement,
    state: {
      ...state,
      mayBeCharged: isOpen,
      countedUsd: isCharged ? largestUsd : state.countedUsd,
      reservesAnew: reservesAnew || undefined,
      error: errorRecord(error, isChat ? undefined : key),
    },
  };
}
