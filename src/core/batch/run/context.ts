import { PolygateError } from '../../../errors/base.ts';
import type { Journal } from '../../../types/tasks/journal.ts';
import type { TaskUpdate, WaitOptions } from '../../../types/tasks/task-handle.ts';
import type { ClientContext } from '../../call/context.ts';
import type { CallerContext } from '../../config/caller-context.ts';
import { parseHeaderChanges } from '../../config/header-changes.ts';
import {
  booleanValue,
  functionValue,
  nonNegativeNumber,
  positiveInteger,
} from '../../config/validation.ts';
import type { Rules } from '../../config/validation.ts';
import { waitRules } from '../../tasks/poll.ts';
import { BatchJournal } from '../journal/batch-journal.ts';
import { isLostChat, unpricedChats } from '../journal/row-history.ts';
import type { BatchProgress } from '../pool/progress.ts';
import type { RowSubmission } from '../row/row-plan.ts';
import { BatchBudget, noCost } from './batch-budget.ts';
import { Pause } from './pause.ts';

/** Options of `gateway.recover` and `gateway.batch`. The wait options apply to each row. */
export interface RecoverOptions extends Omit<WaitOptions<TaskUpdate>, 'onUpdate'> {
  /**
   * Maximum number of rows in flight: submitting, waiting, or with a result that the caller has not taken.
   * @defaultValue 1,000
   */
  maxInFlight?: number | undefined;
  /**
   * Maximum total in USD that all runs with the journal spend together. The price of a row is reserved before it is sent,
   * and rows that may have been charged count with their estimates. When the next row would exceed it, the batch pauses
   * as it does at a 402. Prices of models that the client does not know yet are fetched. A row without a price, such as a
   * chat, reserves the largest charge of such a row so far, so the limit is exceeded by at most what those in flight cost
   * above that. While no such charge is known, chats are sent one at a time, and the batch pauses after four of them were
   * lost.
   * @defaultValue no limit
   */
  maxUsd?: number | undefined;
  /**
   * Called with the progress, at most every 100 ms, and at the end. Errors that it throws are logged and have no other
   * effect.
   */
  onProgress?: ((progress: BatchProgress) => void) | undefined;
  /**
   * Whether chats that an earlier run sent, and whose completion is not in the journal, are sent again. You may pay for
   * them a second time. How many there are is logged.
   * @defaultValue false
   */
  resendUnknown?: boolean | undefined;
}

/** The rules of these options. */
export const recoverRules: Rules = {
  ...waitRules,
  maxInFlight: positiveInteger,
  maxUsd: nonNegativeNumber,
  onProgress: functionValue,
  resendUnknown: booleanValue,
};

/** Fetches a model, so that its prices are known. */
export type FetchModel = (model: string) => Promise<unknown>;

/** What all rows of a batch or a recovery share. */
export interface BatchContext extends ClientContext {
  readonly journal: BatchJournal;
  readonly budget: BatchBudget;
  /** Starts an operation in the context of the caller of the batch. */
  readonly enter: CallerContext;
  readonly pause: Pause;
  /** The signal of the batch. */
  readonly signal: AbortSignal | undefined;
  readonly maxInFlight: number;
  readonly maxUsd: number | undefined;
  readonly resendUnknown: boolean;
  readonly onProgress: ((progress: BatchProgress) => void) | undefined;
  /** Options of the wait for each task, without its signal. */
  readonly waitOptions: Omit<WaitOptions<TaskUpdate>, 'onUpdate' | 'signal'>;
  /** Estimates the price of a row in USD. */
  readonly priceOf: (submission: RowSubmission<unknown>) => Promise<number | undefined>;
  /** Chats that are being sent. The journal stays locked until they have ended. */
  readonly sending: Set<Promise<unknown>>;
}

/** Creates what the rows share. The options have been checked, except for the headers. */
export function createBatchContext(
  client: ClientContext,
  journal: Journal | undefined,
  enter: CallerContext,
  { fetchModel, isBatch }: { fetchModel: FetchModel; isBatch: boolean },
  options: RecoverOptions,
): BatchContext {
  const {
    signal,
    maxInFlight = 1_000,
    maxUsd,
    onProgress,
    resendUnknown = false,
    ...wait
  } = options;
  const { config } = client;
  // Validates only, before anything is paid for.
  parseHeaderChanges(wait.headers);
  return {
    ...client,
    journal: new BatchJournal(journal, config.log),
    budget: new BatchBudget(maxUsd),
    enter,
    pause: new Pause(config.log, isBatch || maxUsd !== undefined),
    signal,
    maxInFlight,
    maxUsd,
    resendUnknown,
    onProgress,
    waitOptions: wait,
    priceOf: pricing(client, enter, maxUsd === undefined ? undefined : fetchModel),
    sending: new Set(),
  };
}

/**
 * Returns a function that estimates the price of a row: that of its most expensive model. Fetches the prices of each
 * model once, if they are needed.
 */
function pricing({ shared }: ClientContext, enter: CallerContext, fetchModel?: FetchModel) {
  const fetched = new Map<string, Promise<unknown>>();
  const priceOf = async (submission: RowSubmission<unknown>, model: string) => {
    const price = submission.estimateUsd(shared.prices.get(model));
    if (price !== undefined || !fetchModel || !submission.hasPrice) return price;
    let pending = fetched.get(model);
    if (!pending) {
      // Without its price, a row is treated like a chat. The row itself reports what is wrong.
      pending = enter(() => fetchModel(model)).catch(() => undefined);
      fetched.set(model, pending);
    }
    await pending;
    return submission.estimateUsd(shared.prices.get(model));
  };
  return async (submission: RowSubmission<unknown>): Promise<number | undefined> => {
    let highest = 0;
    for (const model of submission.models) {
      const price = await priceOf(submission, model);
      if (price === undefined) return undefined;
      highest = Math.max(highest, price);
    }
    return highest;
  };
}

/**
 * Locks the journal where two processes could pay twice or exceed the budget together, and adds up what earlier runs have
 * spent. Called when the journal has been read.
 */
export async function beginRun(context: BatchContext): Promise<void> {
  const { journal, budget, maxUsd, resendUnknown, config } = context;
  if (journal.hasChats || resendUnknown || maxUsd !== undefined) await journal.lock(resendUnknown);
  for (const row of journal.rows.values()) {
    budget.add(row.cost ?? noCost, row.path, unpricedChats(row));
  }
  if (!resendUnknown) return;
  const lost = [...journal.rows.values()].filter(isLostChat).length;
  const { damagedCount } = journal;
  if (lost + damagedCount === 0) return;
  config.log.warn(
    () =>
      `resendUnknown: ${lost} chats in the journal may have been charged, and are charged again if they are sent again` +
      (damagedCount > 0 ? `; so may be chats of ${damagedCount} damaged lines.` : '.'),
  );
}

/** Ends the use of the journal. */
export async function endRun({ journal, sending, config }: BatchContext): Promise<void> {
  await Promise.allSettled(sending);
  await journal.close().catch((error: unknown) => {
    const reason = PolygateError.is(error) ? error.message : String(error);
    config.log.error(() => `journal: closing failed (${reason}).`);
  });
}
