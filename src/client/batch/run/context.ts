import type { Journal, TaskUpdate, WaitOptions } from '../../../wire/types/tasks/task-handle.ts';
import type { ClientContext } from '../../call/context.ts';
import type { CallerContext } from '../../config/caller-context.ts';
import { parseHeaderChanges } from '../../config/header-changes.ts';
import { BatchJournal } from '../journal/batch-journal.ts';
import type { RecoverOptions } from '../options.ts';
import { BatchBudget } from './batch-budget.ts';
import { ChatsInFlight } from './chats-in-flight.ts';
import { Pause } from './pause.ts';
import { rowPrices } from './prices.ts';
import type { FetchModel, PriceOf } from './prices.ts';
import type { BatchProgress } from './progress.ts';

/** What the rows of a run share. */
export interface RowContext extends ClientContext {
  readonly journal: BatchJournal;
  readonly budget: BatchBudget;
  readonly pause: Pause;
  readonly priceOf: PriceOf;
  /** Starts an operation in the context of the caller of the run. */
  readonly enter: CallerContext;
  /** Options of the wait for each task, without its signal. */
  readonly waitOptions: Omit<WaitOptions<TaskUpdate>, 'onUpdate' | 'signal'>;
  readonly resendUnknown: boolean;
  readonly chats: ChatsInFlight;
  /** Chats that are being submitted and recorded. The journal stays locked until they have ended. */
  readonly sending: Set<Promise<unknown>>;
}

/** The state and the limits of a run, which is one call of `gateway.batch` or `gateway.recover`. */
export interface RunContext extends RowContext {
  /** The signal of the run. */
  readonly signal: AbortSignal | undefined;
  readonly maxInFlight: number;
  readonly maxUsd: number | undefined;
  readonly onProgress: ((progress: BatchProgress) => void) | undefined;
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

/** Creates the context of a run. */
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
  // Only a budget is worth requests for prices.
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
    chats: new ChatsInFlight(),
    sending: new Set(),
  };
}
