import type { Job } from 'bullmq';
/** The requests of a row. Each returns what follows from its response. */
import type { Polygate, Task } from 'polygate';

import { PolygateError } from '../../../errors/base.ts';
import { contextOf } from '../../../internal.ts';
import { countReplay, mayBeCharged, verdictOfTask } from '../../../paid/life.ts';
import { verdictOf } from '../../../paid/verdict.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord, textOf } from '../../../wire/types/type-guards.ts';
import { afterChat } from '../decisions/chat-plan.ts';
import { reportedLimit } from '../decisions/failures.ts';
import { afterFailedSubmit, lifeOf } from '../decisions/plan.ts';
import type { Move, Step } from '../decisions/step.ts';
import { afterAccepted, afterFailedPoll, afterPoll } from '../decisions/task-plan.ts';
import type { PollTiming } from '../decisions/task-plan.ts';
import { pollRow, sendChat, submitStoredRow } from '../row-driver.ts';
import type { TaskResult } from '../row-driver.ts';
import type { RunningRow, StoredRow, RowData } from '../row.ts';

/** The options that the steps of a row depend on. */
export interface StepOptions {
  /** How many submissions of a row may fail. */
  readonly attempts: number;
  /** How long to wait for a task, in ms. */
  readonly waitTimeout: number;
}

/** A row whose next step is due. */
export interface DueRow {
  readonly gateway: Polygate;
  readonly row: StoredRow;
  /** Returns the time of Redis in ms. */
  readonly clock: () => number;
}

/** A row that was admitted. */
export interface AdmittedRow extends DueRow, StepOptions {}

/** Submits a row that was admitted. */
export async function submit(admitted: AdmittedRow): Promise<Step> {
  const { gateway, row, waitTimeout } = admitted;
  const { data, state, key } = row;
  const { kind } = data;
  const reported = new ReportedCharge(state);
  if (kind === 'chat') return submitChat(admitted, reported);
  const accept = (task: Task, result: TaskResult, isOwn: boolean) =>
    afterAccepted(
      {
        state,
        key,
        waitTimeout,
        receipt: task.toJSON(),
        verdict: countReplay(verdictOfTask(task), 'own', { isCounted: state.isCounted, isOwn }),
      },
      result,
      timingOf(admitted),
    );
  try {
    const { task, meta, result, isRepeated } = await submitStoredRow(
      gateway,
      { ...data, kind },
      key,
      reported.add,
    );
    const step = accept(task, result, mayBeCharged(lifeOf(row)) || isRepeated);
    return withResponse(step, meta.concurrency.limit ?? 'more', reported);
  } catch (error) {
    const limit = reportedLimit(error);
    const task = PolygateError.is(error) ? error.task : undefined;
    if (!task) {
      const step = afterFailedSubmit(row, error, admitted.attempts, timingOf(admitted));
      return withResponse(step, limit, reported);
    }
    // Its task is known, although the response is not valid: it counts as paid. Errors declare less of a task, because
    // their module does not know `Task`.
    return withResponse(accept(unchecked<Task>(task), {}, true), limit, reported);
  }
}

/** The largest charge that the responses to a submission have reported. */
class ReportedCharge {
  usd = 0;
  readonly #isCounted: boolean;

  constructor({ isCounted = false }: StoredRow['state']) {
    this.#isCounted = isCounted;
  }

  readonly add = (usd: number, isReplay: boolean): void => {
    // The replay of a charge that counts already says nothing new.
    if (!(isReplay && this.#isCounted)) this.usd = Math.max(this.usd, usd);
  };
}

/** Sends the chat of a row that was admitted. */
async function submitChat(admitted: AdmittedRow, reported: ReportedCharge): Promise<Step> {
  const { gateway, row } = admitted;
  try {
    const { completion, meta } = await sendChat(gateway, row.data, reported.add);
    const step = afterChat(row.state, completion, verdictOf(meta));
    return withResponse(step, meta.concurrency.limit ?? 'more', reported);
  } catch (error) {
    const step = afterFailedSubmit(row, error, admitted.attempts, timingOf(admitted));
    return withResponse(step, reportedLimit(error), reported);
  }
}

/** Polls the task of a row once. */
export async function poll(due: DueRow & { readonly row: RunningRow }): Promise<Step> {
  const { gateway, row } = due;
  const { state, key } = row;
  try {
    const { meta, result } = await pollRow(gateway, state.receipt);
    const step = afterPoll({ state, key }, result, timingOf(due));
    return withResponse(step, meta.concurrency.limit);
  } catch (error) {
    const step = afterFailedPoll({ state, key }, error, timingOf(due));
    return withResponse(step, reportedLimit(error));
  }
}

const timingOf = ({ gateway, clock }: DueRow): PollTiming => {
  const { maxRetryDelay, random } = contextOf(gateway);
  return { maxRetryDelay, random, now: clock() };
};

/** Adds what any response reports. */
const withResponse = (step: Step, limit: Move['limit'], reported?: ReportedCharge): Step => ({
  ...step,
  move: { ...step.move, limit, reportedUsd: reported?.usd },
});

/** Logs that a step has failed and is repeated after `delayMs`. */
export function logFailedStep(
  gateway: Polygate,
  job: Job<RowData>,
  delayMs: number,
  error: unknown,
): void {
  contextOf(gateway).log.warn(
    () =>
      `row ${nameOf(job)}: a step failed and is repeated in ${delayMs / 1_000} s or later. ${textFor(error)}`,
  );
}

/** Logs that Redis does not let a row be submitted. */
export function logRejection(gateway: Polygate, id: string, error: unknown): void {
  contextOf(gateway).log.warn(
    () =>
      `row ${id}: Redis has rejected a command, so the row is submitted later. ${textFor(error)}`,
  );
}

/** Logs why the budget pauses the queue, and what to do. */
export function logPause(gateway: Polygate, problem: string): void {
  contextOf(gateway).log.warn(
    () =>
      `The queue pauses at its maxUsd: ${problem}. To continue, restart the workers with a higher maxUsd, and call resume().`,
  );
}

/** Logs an error that changes nothing for any row, such as one of a connection that is restored. */
export function logMinor(gateway: Polygate, what: string, error: unknown): void {
  contextOf(gateway).log.debug(() => `${what}. ${textFor(error)}`);
}

/** The id of a row. A job of another library can have any data. */
export const nameOf = ({ id, data }: Job<RowData>): string | undefined =>
  (isRecord(data) && textOf(data.id)) || id;

export const textFor = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
