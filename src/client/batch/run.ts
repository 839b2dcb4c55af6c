import { PolygateError } from '../../errors/base.ts';
import type { Journal, TaskUpdate, WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type { ClientContext } from '../call/context.ts';
import type { CallerContext } from '../config/caller.ts';
import { parseHeaderChanges } from '../config/validation.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { rowPrices } from './budget-decisions.ts';
import type { FetchModel } from './budget-decisions.ts';
import { BatchBudget } from './budget.ts';
import { Changes } from './changes.ts';
import { BatchJournal } from './journal.ts';
import type { RecoverOptions } from './options.ts';
import { Pause } from './pause.ts';
import type { BatchProgress } from './progress.ts';
import { isLostChat } from './row-history.ts';
import type { Row } from './row.ts';

/** The state and the limits of a run, which is one call of `gateway.batch` or `gateway.recover`. */
export interface RunContext extends ClientContext {
  readonly journal: BatchJournal;
  readonly budget: BatchBudget;
  readonly pause: Pause;
  readonly priceOf: ReturnType<typeof rowPrices>;
  /** Starts an operation in the context of the caller of the run. */
  readonly enter: CallerContext;
  /** Options of the wait for each task, without its signal. */
  readonly waitOptions: Omit<WaitOptions<TaskUpdate>, 'onUpdate' | 'signal'>;
  readonly resendUnknown: boolean;
  readonly chats: ChatsInFlight;
  /** Rows that are being submitted and recorded. The journal stays locked until they have ended. */
  readonly sending: Set<Promise<unknown>>;
  /** The signal of the run. Those of its rows are their own. */
  readonly signal: AbortSignal | undefined;
  readonly maxInFlight: number;
  readonly maxUsd: number | undefined;
  readonly onProgress: ((progress: BatchProgress) => void) | undefined;
}

/**
 * Creates the context of a run. Its options have been checked, except for the headers. `pausesAtBudget`: the run pauses at
 * a budget, and not only at a 402.
 */
export function createRunContext(
  client: ClientContext,
  enter: CallerContext,
  {
    journal,
    fetchModel,
    pausesAtBudget,
    signal,
    maxInFlight = 1_000,
    maxUsd,
    onProgress,
    resendUnknown = false,
    ...waitOptions
  }: RecoverOptions & {
    readonly journal?: Journal | undefined;
    readonly fetchModel: FetchModel;
    readonly pausesAtBudget: boolean;
  },
): RunContext {
  const { log } = client.config;
  // Validates only, before anything is paid for.
  parseHeaderChanges(waitOptions.headers);
  const fetchInContext: FetchModel = (model) => enter(() => fetchModel(model));
  return {
    ...client,
    journal: new BatchJournal(journal, log),
    budget: new BatchBudget(maxUsd),
    enter,
    pause: new Pause({ log, beginsAtBudget: pausesAtBudget }),
    signal,
    maxInFlight,
    maxUsd,
    resendUnknown,
    onProgress,
    waitOptions,
    // Only a budget is worth requests for prices.
    priceOf: rowPrices(client.shared.prices, maxUsd === undefined ? undefined : fetchInContext),
    chats: new ChatsInFlight(),
    sending: new Set(),
  };
}

/**
 * Locks the journal where two processes could pay twice or exceed the budget together, and adds up what earlier runs
 * have spent. Called when the journal has been read.
 */
export async function beginRun(context: RunContext): Promise<void> {
  const { journal, budget, maxUsd, resendUnknown, config } = context;
  if (journal.hasChats || resendUnknown || maxUsd !== undefined) {
    await journal.lock({ isRequired: resendUnknown });
  }
  if (maxUsd !== undefined && !journal.canLock) {
    config.log.warn(
      () => 'journal: has no lock(), so runs at the same time can exceed maxUsd together.',
    );
  }
  budget.addEarlier(journal.earlier.byId);
  if (resendUnknown) warnOfLostChats(context);
}

/**
 * Whether the journal must stay locked until it is recorded what a row has cost: the next run could send its chat again, or
 * spend its part of the limit.
 */
export const staysLocked = (
  { isChargedOnce }: { readonly isChargedOnce: boolean },
  { maxUsd }: RunContext,
): boolean => !isChargedOnce || maxUsd !== undefined;

function warnOfLostChats({ journal, config }: RunContext): void {
  const lost = [...journal.earlier.byId.values()].filter(isLostChat).length;
  const { damagedCount } = journal.contents;
  if (lost + damagedCount === 0) return;
  config.log.warn(
    () =>
      `resendUnknown: ${lost} chats in the journal may have been charged, and are charged again if they are sent again` +
      (damagedCount > 0 ? `; so may be chats of ${damagedCount} damaged lines.` : '.'),
  );
}

/**
 * Ends the use of the journal, when the outcomes of all chats and, with `maxUsd`, of all tasks are recorded. If the run was cut
 * short and that takes long, it continues in the background: a lock that is released before would let another process send the
 * same chats, or spend what these tasks have cost.
 *
 * A run that was not aborted, is not submitting such a row and marks no torn line waits until the journal has released its
 * lock or the caller aborts, however long that takes: also if the caller has left its loop while tasks are in flight.
 */
export async function endRun(context: RunContext): Promise<void> {
  const { journal, sending, signal, config } = context;
  const isCutShort = signal?.aborted === true || sending.size > 0 || journal.isMarking;
  const end = async () => {
    await Promise.allSettled(sending);
    await journal.close();
  };
  const error = () => new Error('lines are still being written');
  await untilAborted(context, end, error, isCutShort).catch((thrown: unknown) => {
    const reason = PolygateError.is(thrown) ? thrown.message : String(thrown);
    config.log.error(() => `journal: closing failed (${reason}).`);
  });
}

/** How long work on the journal may take once the run has been cut short, in ms. */
const maxLateTime = 1_000;

/**
 * Waits for work on the journal, which can hang, until the caller aborts. A run that has been cut short already waits for a
 * second, so that most of the work ends. The work itself continues. `error` creates the error if it has not ended.
 */
export function untilAborted(
  { signal, config }: RunContext,
  work: () => Promise<void>,
  error: () => Error,
  isCutShort = signal?.aborted === true,
): Promise<void> {
  const errors = { aborted: error, timeout: error };
  return runWithTimeLimit(
    work,
    isCutShort ? { clock: config.clock, ms: maxLateTime, errors } : { signal, errors },
  );
}

/**
 * The rows whose chat is in flight: from the moment an attempt is sent until its response has been read. Their completions are
 * paid for, so when the caller leaves a run, they are read to their end. Nothing more is sent.
 */
class ChatsInFlight {
  readonly #rows = new Set<Row>();
  readonly #changes = new Changes();
  #hasLeft = false;

  /** An attempt of a chat is sent. */
  add(row: Row): void {
    this.#rows.add(row);
  }

  /** The chat has ended. */
  remove(row: Row): void {
    if (this.#rows.delete(row)) this.#changes.notify();
  }

  /** The attempt has ended, and another one follows, unless the caller has left. */
  removeBeforeRetry(row: Row): void {
    if (this.#hasLeft) row.controller.abort();
    this.remove(row);
  }

  /** The caller has left: aborts all other rows. Resolves when no chat is in flight. */
  async leave(running: Iterable<Row>): Promise<void> {
    this.#hasLeft = true;
    for (const row of running) if (!this.#rows.has(row)) row.controller.abort();
    while (this.#rows.size > 0) await this.#changes.next();
  }
}
