import type { Task } from 'polygate';
import { TaskFailedError } from 'polygate';

import { messageOf } from '../arguments.ts';
import type { EarlyEnd } from '../early-end.ts';
import { describeFailure } from '../failure.ts';
import { note } from '../output.ts';
import type { TaskEntry } from '../state/task-entry.ts';
import { finish } from './finish.ts';
import type { ResultOptions } from './finish.ts';
import { submitEntry } from './submit.ts';
import type { TaskRun } from './submit.ts';

/** How a task is continued. */
export interface ContinueOptions extends ResultOptions {
  /** Whether an earlier process may have sent the request. */
  readonly isRepeated: boolean;
  /** Receives the receipt as JSON, before the wait. */
  readonly onReceipt: (receipt: string) => void;
  /** Whether to wait for the result. Otherwise, the receipt is printed. */
  readonly wait: boolean;
  readonly printReceipt: (receipt: string) => Promise<void>;
}

/** Takes a task from where it is to its saved results. Returns the exit code. */
export async function continueTask(
  entry: TaskEntry,
  run: Omit<TaskRun, 'signal'> & { readonly end: EarlyEnd },
  options: ContinueOptions,
): Promise<number> {
  const { end, gateway, store, log, waitCommand } = run;
  const { receipt } = entry;
  const taskRun: TaskRun = { ...run, signal: end.signal };
  try {
    let task: Task;
    if (receipt === undefined) task = await submitEntry(entry, taskRun, options.isRepeated);
    else {
      task = gateway.resume(receipt);
      log.noteAccepted({ idempotencyKey: entry.idempotencyKey, chargeUsd: task.chargeUsd });
      log.noteNext(waitCommand(task.id));
    }
    const text = `${JSON.stringify(task)}\n`;
    copyReceipt(text, options);
    if (!options.wait) {
      await options.printReceipt(text);
      return 0;
    }
    await finish(task, taskRun, options);
    remember({ ...entry, request: undefined, receipt: task.toJSON(), status: 'succeeded' });
    return 0;
  } catch (error) {
    if (TaskFailedError.is(error)) {
      remember({ ...entry, request: undefined, receipt: error.task.toJSON(), status: 'failed' });
      log.noteTaskFailed();
    }
    if (end.exitCode === undefined) throw error;
    process.stderr.write(describeFailure(error, log.context));
    return end.exitCode;
  } finally {
    end.dispose();
  }

  /** Records how the task ended. Only `task list` shows it. */
  function remember(ended: TaskEntry): void {
    try {
      if (ended.receipt?.id) store.write(ended);
      else store.remove(ended);
    } catch {
      // The result is there.
    }
  }
}

function copyReceipt(receipt: string, { onReceipt }: ContinueOptions): void {
  try {
    onReceipt(receipt);
  } catch (error) {
    note(`The receipt could not be written: ${messageOf(error)}`);
  }
}
