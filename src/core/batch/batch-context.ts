import type { Journal } from '../../types/tasks/journal.ts';
import type { TaskUpdate, WaitOptions } from '../../types/tasks/task-handle.ts';
import type { ClientContext } from '../call/context.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { parseHeaderChanges } from '../config/header-changes.ts';
import { positiveInteger } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { waitRules } from '../tasks/poll.ts';
import { BatchJournal } from './batch-journal.ts';
import { Pause } from './pause.ts';

/** Options of `gateway.recover` and `gateway.batch`. The wait options apply to each row. */
export interface RecoverOptions extends Omit<WaitOptions<TaskUpdate>, 'onUpdate'> {
  /**
   * Maximum number of rows in flight: submitting, waiting, or with a result that the caller has not taken.
   * @defaultValue 1,000
   */
  maxInFlight?: number | undefined;
}

/** The rules of these options. */
export const recoverRules: Rules = { ...waitRules, maxInFlight: positiveInteger };

/** What all rows of a batch or a recovery share. */
export interface BatchContext extends ClientContext {
  readonly journal: BatchJournal;
  /** Starts an operation in the context of the caller of the batch. */
  readonly enter: CallerContext;
  readonly pause: Pause;
  /** The signal of the batch. */
  readonly signal: AbortSignal | undefined;
  readonly maxInFlight: number;
  /** Options of the wait for each task, without its signal. */
  readonly waitOptions: Omit<RecoverOptions, 'signal' | 'maxInFlight'>;
}

/** Creates what the rows share. The options have been checked, except for the headers. */
export function createBatchContext(
  client: ClientContext,
  journal: Journal | undefined,
  enter: CallerContext,
  { signal, maxInFlight = 1_000, ...waitOptions }: RecoverOptions,
): BatchContext {
  const { config } = client;
  // Validates only, before anything is paid for.
  parseHeaderChanges(waitOptions.headers);
  return {
    ...client,
    journal: new BatchJournal(journal, config.log),
    enter,
    pause: new Pause(config.log),
    signal,
    maxInFlight,
    waitOptions,
  };
}
