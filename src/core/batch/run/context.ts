import { PolygateError } from '../../../errors/base.ts';
import type { Journal } from '../../../types/tasks/journal.ts';
import type { TaskUpdate, WaitOptions } from '../../../types/tasks/task-handle.ts';
import type { ClientContext } from '../../call/context.ts';
import type { CallerContext } from '../../config/caller-context.ts';
import { parseHeaderChanges } from '../../config/header-changes.ts';
import { BatchJournal } from '../journal/batch-journal.ts';
import { noCost } from '../journal/row-cost.ts';
import { isLostChat, unpricedSubmits } from '../journal/row-history.ts';
import type { RecoverOptions } from '../options.ts';
import { BatchBudget } from './batch-budget.ts';
import { Pause } from './pause.ts';
import { rowPrices } from './prices.ts';
import type { FetchModel, PriceOf } from './prices.ts';
import type { BatchProgress } from './progress.ts';
import { untilAborted } from './until-aborted.ts';

/** What all rows of a run share: a run is one call of `gateway.batch` or `gateway.recover`. */
export interface RunContext extends ClientContext {
  readonly journal: BatchJournal;
  readonly budget: BatchBudget;
  /** Starts an operation in the context of the caller of the run. */
  readonly enter: CallerContext;
  readonly pause: Pause;
  /** The signal of the run. */
  readonly signal: AbortSignal | undefined;
  readonly maxInFlight: number;
  readonly maxUsd: number | undefined;
  readonly resendUnknown: boolean;
  readonly onProgress: ((progress: BatchProgress) => void) | undefined;
  /** Options of the wait for each task, without its signal. */
  readonly waitOptions: Omit<WaitOptions<TaskUpdate>, 'onUpdate' | 'signal'>;
  readonly priceOf: PriceOf;
  /** Chats that are being sent. The journal stays locked until they have ended. */
  readonly sending: Set<Promise<unknown>>;
}

/** What a run is created from. */
interface RunArguments {
  readonly client: ClientContext;
  readonly journal: Journal | undefined;
  readonly enter: CallerContext;
  readonly fetchModel: FetchModel;
  /** Whether the run pauses at a budget, and not only at a 402. */
  readonly pausesAtBudget: boolean;
  /** They have been checked, except for the headers. */
  readonly options: RecoverOptions;
}

/** Creates what the rows of a run share. */
export function createRunContext({
  client,
  journal,
  enter,
  fetchModel,
  pausesAtBudget,
  options,
}: RunArguments): RunContext {
  const {
    signal,
    maxInFlight = 1_000,
    maxUsd,
    onProgress,
    resendUnknown = false,
    ...wait
  } = options;
  const { log } = client.config;
  // Validates only, before anything is paid for.
  parseHeaderChanges(wait.headers);
  const prices = { client, enter, fetchModel: maxUsd === undefined ? undefined : fetchModel };
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
    waitOptions: wait,
    priceOf: rowPrices(prices),
    sending: new Set(),
  };
}

/**
 * Locks the journal where two processes could pay twice or exceed the budget together, and adds up what earlier runs have
 * spent. Called when the journal has been read.
 */
export async function beginRun(context: RunContext): Promise<void> {
  const { journal, budget, maxUsd, resendUnknown } = context;
  if (journal.hasChats || resendUnknown || maxUsd !== undefined) {
    await journal.lock({ isRequired: resendUnknown });
  }
  for (const row of journal.earlier.byId.values()) {
    const { cost = noCost, path = '' } = row;
    budget.addEarlier({ cost, path, unpriced: unpricedSubmits(row) });
  }
  if (resendUnknown) warnOfLostChats(context);
}

function warnOfLostChats({ journal, config }: RunContext): void {
  const lost = [...journal.earlier.byId.values()].filter(isLostChat).length;
  const { damagedCount } = journal;
  if (lost + damagedCount === 0) return;
  config.log.warn(
    () =>
      `resendUnknown: ${lost} chats in the journal may have been charged, and are charged again if they are sent again` +
      (damagedCount > 0 ? `; so may be chats of ${damagedCount} damaged lines.` : '.'),
  );
}

/**
 * Ends the use of the journal, when the outcomes of all chats are recorded. If the run was cut short and that takes long, it
 * continues in the background: a lock that is released before would let another process send the same chats.
 *
 * A run that was not aborted and has no chat in flight waits until the journal has released its lock or the caller aborts,
 * however long that takes: also if the caller has left its loop while tasks are in flight.
 */
export async function endRun({
  journal,
  sending,
  signal,
  config: { clock, log },
}: RunContext): Promise<void> {
  const isCutShort = signal?.aborted === true || sending.size > 0;
  const end = async () => {
    await Promise.allSettled(sending);
    await journal.close();
  };
  const error = () => new Error('lines are still being written');
  await untilAborted(end, { signal, isCutShort, clock, error }).catch((thrown: unknown) => {
    const reason = PolygateError.is(thrown) ? thrown.message : String(thrown);
    log.error(() => `journal: closing failed (${reason}).`);
  });
}
