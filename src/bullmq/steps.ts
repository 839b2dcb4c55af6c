import type { Polygate, Receipt } from 'polygate';

import { PolygateError } from '../errors/base.ts';
import { TaskWaitTimeoutError } from '../errors/tasks.ts';
import { delayOptionsOf, pollRow, sendChat, submitStoredRow } from '../internal/row-driver.ts';
import { unchecked } from '../types/schema.ts';
import { reportedLimit } from './decisions/failures.ts';
import { afterFailedPoll, afterTask, deadlineAfter, deadlineOf } from './decisions/poll.ts';
import type { PollTiming } from './decisions/poll.ts';
import { afterChat, afterFailedSubmit } from './decisions/submit.ts';
import type { Move, Step } from './move.ts';
import type { StoredRow } from './redis/store.ts';
import type { RowState } from './row.ts';
import { replaceBy, settlementOf } from './settlement.ts';

/** The options that the steps of a row depend on. */
export interface StepOptions {
  /** How many submissions of a row may fail. */
  readonly attempts: number;
  /** How long to wait for a task, in ms. */
  readonly waitTimeout: number;
}

/** A row whose next step is due. */
interface DueRow {
  readonly gateway: Polygate;
  readonly row: StoredRow;
  /** Returns the time of Redis in ms. */
  readonly clock: () => number;
}

/** A row that was admitted. */
interface AdmittedRow extends DueRow, StepOptions {
  /** Whether an earlier submission under the key may have been charged. */
  readonly mayBeCharged: boolean;
  readonly priceUsd: number;
}

/** Submits a row that was admitted. */
export async function submit(admitted: AdmittedRow): Promise<Step> {
  const { gateway, row, mayBeCharged, priceUsd, clock, attempts, waitTimeout } = admitted;
  const { data, state, key } = row;
  const accepted = (receipt: Receipt) => {
    const deadline = deadlineAfter(clock(), waitTimeout);
    const next: RowState = { ...state, receipt, deadline };
    return { from: 'submitting', state: next, key } as const;
  };
  try {
    const { kind } = data;
    if (kind === 'chat') return await submitChat(admitted);
    const { task, meta, result, isRepeated } = await submitStoredRow(
      gateway,
      { ...data, kind },
      key,
    );
    const step = afterTask(accepted(task.toJSON()), result, timingOf(admitted));
    const settlement = settlementOf(task, mayBeCharged || isRepeated, priceUsd);
    return withMove(step, { settlement, limit: meta.concurrency.limit ?? 'more' });
  } catch (error) {
    const { task }: Partial<PolygateError> = PolygateError.is(error) ? error : {};
    const limit = reportedLimit(error);
    if (!task) {
      const { maxRetryDelay } = delayOptionsOf(gateway);
      const attempt = { state, key, mayBeCharged, attempts, maxRetryDelay };
      return withMove(afterFailedSubmit(attempt, error), { limit });
    }
    const receipt = unchecked<Receipt>(task.toJSON());
    const step = afterTask(accepted(receipt), {}, timingOf(admitted));
    return withMove(step, { settlement: replaceBy(receipt.chargeUsd ?? priceUsd), limit });
  }
}

/** Sends the chat of a row that was admitted. */
async function submitChat(admitted: AdmittedRow): Promise<Step> {
  const { gateway, row, mayBeCharged, attempts } = admitted;
  const { data, state, key } = row;
  try {
    const { completion, meta } = await sendChat(gateway, data);
    const limit = meta.concurrency.limit ?? 'more';
    return withMove(afterChat(state, completion, meta.chargeUsd), { limit });
  } catch (error) {
    const { maxRetryDelay } = delayOptionsOf(gateway);
    const attempt = { state, key, mayBeCharged, attempts, maxRetryDelay, isChat: true };
    return withMove(afterFailedSubmit(attempt, error), { limit: reportedLimit(error) });
  }
}

/** Polls the task of a row once. */
export async function poll(due: DueRow): Promise<Step> {
  const { gateway, row, clock } = due;
  const { state, key } = row;
  try {
    const { task, meta, result } = await pollRow(gateway, unchecked<Receipt>(state.receipt));
    const step = afterTask({ from: 'running', state, key }, result, timingOf(due));
    if (step.move.to === 'running' && clock() >= deadlineOf(state)) {
      throw new TaskWaitTimeoutError(
        `The wait exceeded waitTimeout. Task ${task.id} is not lost: call queue.retry(id) to continue.`,
        { task, idempotencyKey: key },
      );
    }
    return withMove(step, { limit: meta.concurrency.limit });
  } catch (error) {
    const step = afterFailedPoll({ state, key }, error, timingOf(due));
    return withMove(step, { limit: reportedLimit(error) });
  }
}

const timingOf = ({ gateway, clock }: DueRow): PollTiming => ({
  ...delayOptionsOf(gateway),
  now: clock(),
});

const withMove = (step: Step, change: Partial<Move>): Step => ({
  ...step,
  move: { ...step.move, ...change },
});
