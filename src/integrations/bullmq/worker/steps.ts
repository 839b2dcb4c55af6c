/** The requests of a row. Each returns what follows from its response. */
import type { Job, Queue } from 'bullmq';
import type { Outcome, Polygate, ResponseMeta, Task } from 'polygate';

import { contextOf, KeyCharges } from '../../../internal.ts';
import type { AttemptObserver } from '../../../internal.ts';
import { roundUsd } from '../../../paid/amounts.ts';
import { namedTask } from '../../../paid/failed-call.ts';
import { mayBeCharged, verdictOfTask } from '../../../paid/life.ts';
import { verdictOf } from '../../../paid/verdict.ts';
import type { Verdict } from '../../../paid/verdict.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord, textOf } from '../../../wire/types/type-guards.ts';
import { afterChat } from '../decisions/chat-plan.ts';
import { afterFailedSubmit, lifeOf } from '../decisions/plan.ts';
import type { FailedCharges } from '../decisions/settlement.ts';
import type { Move, Step } from '../decisions/step.ts';
import { afterAccepted, afterFailedPoll, afterPoll } from '../decisions/task-plan.ts';
import type { PollTiming } from '../decisions/task-plan.ts';
import type { QueueSettings } from '../options.ts';
import type { QueueState } from '../redis/queue-state.ts';
import type { RowStore } from '../redis/row-store.ts';
import { pollRow, sendChat, submitStoredRow } from '../row-driver.ts';
import type { TaskResult } from '../row-driver.ts';
import { reportedLimit } from '../row.ts';
import type { RunningRow, StoredRow, RowData } from '../row.ts';

/** What the steps of a worker need from its queue. */
export interface RunnerContext extends Omit<QueueSettings, 'prefix'> {
  /** The jobs of the queue. */
  readonly jobs: Queue<RowData>;
  readonly rows: RowStore;
  readonly state: QueueState;
  readonly concurrency: number;
}

/** A row whose next step is due. */
export interface DueRow {
  readonly gateway: Polygate;
  readonly row: StoredRow;
  /** Returns the time of Redis in ms. */
  readonly clock: () => number;
}

/** A row that was admitted. */
export interface AdmittedRow extends DueRow, Pick<QueueSettings, 'attempts' | 'waitTimeout'> {
  /** Reserves another attempt of a chat after these charges. Returns false if the budget does not cover it. */
  readonly reserveRetry: (charges: KeyCharges) => Promise<boolean>;
}

/** Submits a row that was admitted. */
export async function submit(admitted: AdmittedRow): Promise<Step> {
  const { gateway, row, attempts, waitTimeout } = admitted;
  const { data, state, key } = row;
  const { kind } = data;
  const observed = new Attempts(admitted);
  const withCharges = (step: Step, limit: Move['limit']): Step =>
    withResponse(step, limit, observed.charges.largestUsd);
  const accept = (task: Task, result: TaskResult) => {
    const verdict = observed.verdictWith(verdictOfTask(task));
    const receipt = task.toJSON();
    const submission = { state, key, waitTimeout, receipt, verdict };
    return afterAccepted(submission, result, timingOf(admitted));
  };
  try {
    if (kind === 'chat') {
      const { completion, meta } = await sendChat(gateway, data, observed);
      const step = afterChat(state, completion, observed.verdictWith(verdictOf(meta)));
      return withCharges(step, meta.concurrency.limit ?? 'more');
    }
    const { task, meta, result } = await submitStoredRow(gateway, { ...data, kind }, key, observed);
    return withCharges(accept(task, result), meta.concurrency.limit ?? 'more');
  } catch (error) {
    observed.charges.fail(error);
    const task = namedTask(error);
    const step = task
      ? accept(unchecked<Task>(task), {})
      : afterFailedSubmit(row, error, { attempts, charged: observed.failed }, timingOf(admitted));
    return withCharges(step, reportedLimit(error));
  }
}

/** Observes the attempts of a submission, and adds up what they cost. */
class Attempts implements AttemptObserver {
  readonly charges: KeyCharges;
  readonly #isChat: boolean;
  readonly #reserveRetry: AdmittedRow['reserveRetry'];
  /** Whether the row was sent before, so that a replay may be that of its own request. */
  #isRepeated: boolean;

  constructor({ row, reserveRetry }: AdmittedRow) {
    this.#reserveRetry = reserveRetry;
    const { countedUsd } = row.state;
    const counted = countedUsd === undefined ? undefined : { fromReplay: false };
    this.charges = new KeyCharges(counted, 0, countedUsd);
    this.#isChat = row.data.kind === 'chat';
    this.#isRepeated = this.#isChat || mayBeCharged(lifeOf(row));
  }

  readonly onResponse = (meta: ResponseMeta, isLate: boolean): void => {
    this.charges.add(verdictOf(meta), isLate, this.#isRepeated);
  };

  /**
   * A task that was charged is sent again when Redis has recorded that. A chat would end then: it is sent again at once, because
   * the service is configured to replay it.
   */
  readonly mayRetry = async (): Promise<boolean> =>
    this.charges.usd === 0 || (this.#isChat && this.#reserveRetry(this.charges));

  readonly onRetry = (outcome: Outcome, error: unknown): void => {
    this.charges.fail(error);
    this.#isRepeated ||= outcome === 'unknown';
  };

  /** What a failed submission has cost. An attempt after a charge that may be charged, too, has cost as much. */
  get failed(): FailedCharges {
    const { usd, largestUsd, isKnown } = this.charges;
    return { usd: usd > 0 && !isKnown ? roundUsd(usd + largestUsd) : usd, largestUsd, isKnown };
  }

  /** What all responses say about money, of which this is the last one. */
  verdictWith(last: Verdict): Verdict {
    const { usd, largestUsd } = this.charges;
    const isCovered = this.charges.covers(last, this.#isRepeated);
    // A success after a charge costs as much, although its key seemed to be free.
    const isOpen = last.money === 'accepted' && !isCovered && largestUsd > 0;
    const chargedUsd = isOpen ? roundUsd(usd + largestUsd) : usd;
    if (chargedUsd > 0) return { ...last, money: 'charged', usd: chargedUsd };
    return isCovered ? { ...last, money: 'none' } : last;
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
const withResponse = (step: Step, limit: Move['limit'], reportedUsd?: number): Step => ({
  ...step,
  move: { ...step.move, limit, reportedUsd },
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
