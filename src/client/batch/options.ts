import type { Journal, TaskUpdate, WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import {
  booleanValue,
  functionValue,
  nonNegativeNumber,
  positiveInteger,
} from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { waitRules } from '../tasks/wait/wait-rules.ts';
import { journalRule } from './journal/batch-journal.ts';
import type { BatchProgress } from './run/progress.ts';

/** Options of `gateway.recover` and `gateway.batch`. The wait options apply to each row. */
export interface RecoverOptions extends Omit<WaitOptions<TaskUpdate>, 'onUpdate'> {
  /**
   * Maximum number of rows in flight: submitting, waiting, or with a result that the caller has not taken.
   * @defaultValue 1,000
   */
  maxInFlight?: number | undefined;
  /**
   * Maximum total in USD that all runs with the journal spend together. The price of a row is reserved before it is sent,
   * and rows that may have been charged count with their estimates. A task that exists already under the key of its row
   * counts, too, even if another program has paid for it. When the next row would exceed the budget, the batch pauses
   * as it does at a 402. Prices of models that the client does not know yet are fetched. A row without a known price,
   * such as a chat, reserves the highest charge of any such row so far. Rows in flight can therefore exceed the limit
   * by the amount that they cost above that. Until the first such charge is known, such rows are sent one at a time,
   * and the batch pauses after four whose charge is not known, because they were lost or the service has not reported
   * it.
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

/** Options of `gateway.batch`. The wait options apply to each row. */
export interface BatchOptions<Input> extends RecoverOptions {
  /**
   * Returns the id of a row: a non-empty string that is unique in the batch and the same in every process. The row's
   * idempotency key is derived from it.
   * @defaultValue the position of the row, from 0
   */
  id?: ((input: Input, index: number) => string) | undefined;
  /** Records the progress of the batch, so that no row is charged twice when the batch is run again after a crash. */
  journal?: Journal | undefined;
  /**
   * Whether the journal stores params, including prompts. With them, `gateway.recover` can resubmit rows without
   * their inputs. The completions of chats are stored in any case, and may quote their prompts.
   * @defaultValue the journal's `storeParams`, otherwise false
   */
  storeParams?: boolean | undefined;
}

/** The rules of the options of a batch, besides those of a recovery. */
export const batchRules: Rules = {
  id: functionValue,
  journal: journalRule,
  storeParams: booleanValue,
};
