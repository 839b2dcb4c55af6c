import { TaskFailedError } from 'polygate';
import type { Task, SucceededGeneration, TaskUpdate } from 'polygate';
import type { SavedFile } from 'polygate/node';

import { formatUsd } from '../money.ts';
import { messageOf } from './arguments.ts';
import type { EarlyEnd } from './early-end.ts';
import { describeFailure } from './failure.ts';
import { nameOfTask } from './output-name.ts';
import { saveResults } from './save-results.ts';
import { submitEntry } from './submit-task.ts';
import type { TaskRun } from './submit-task.ts';
import type { TaskEntry } from './task-store.ts';
import { note, noteFailure, print, printJson, formatDuration, ProgressLine } from './terminal.ts';
import { cleanText } from './text.ts';

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
      // A task that was submitted elsewhere has no key that is known here.
      const { idempotencyKey, chargeUsd } = task;
      log.note({ sent: 'accepted', idempotencyKey, chargeUsd });
      log.note({ next: waitCommand(task.id) });
    }
    const text = `${JSON.stringify(task)}\n`;
    copyReceipt(text, options);
    if (!options.wait) {
      await options.printReceipt(text);
      return 0;
    }
    if (receipt === undefined) note(`If this is interrupted: ${log.context.next}`);
    await finish(task, taskRun, options);
    remember({ ...entry, request: undefined, receipt: task.toJSON(), status: 'succeeded' });
    return 0;
  } catch (error) {
    if (TaskFailedError.is(error)) {
      remember({ ...entry, request: undefined, receipt: error.task.toJSON(), status: 'failed' });
      log.note({ refund: undefined, next: undefined });
    }
    if (end.exitCode === undefined) throw error;
    noteFailure(describeFailure(error, log.context));
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

/** What happens with the results of a task. */
interface ResultOptions {
  /** Template of the file names. */
  readonly output: string;
  readonly overwrite: boolean;
  readonly isJson: boolean;
}

/** Waits for a task, saves its results and prints their names. */
async function finish(task: Task, run: TaskRun, options: ResultOptions): Promise<void> {
  const { gateway, signal, log } = run;
  const generation = await waitWithProgress(task, signal);
  const { output: template, overwrite } = options;
  // A response with a finished result may have no id.
  const id = nameOfTask(task.id || (task.idempotencyKey ?? ''));
  const files = await saveResults(gateway, generation, { template, id }, { overwrite, signal });
  log.note({ saved: files.map(({ path }) => path), next: undefined });
  const { chargeUsd, meta, replayed } = task;
  // A resumed task, or a repeated request, was paid for once.
  const isEarlier = meta === undefined || replayed;
  if (options.isJson) await printJson(resultOf(task, generation, files));
  else {
    await print(files.map(({ path }) => `${cleanText(path)}\n`).join(''));
    if (chargeUsd !== undefined)
      note(`Charged: ${formatUsd(chargeUsd)}${isEarlier ? ', once under its key' : ''}`);
  }
  const isUnverified = files.some(({ complete }) => complete === 'unverified');
  if (isUnverified)
    note('The server did not say how large the result is: check that it is complete.');
}

/** Waits for a task, with a progress line in a terminal. */
async function waitWithProgress(task: Task, signal: AbortSignal): Promise<SucceededGeneration> {
  const startedAt = performance.now();
  let update: TaskUpdate | undefined;
  const line = new ProgressLine(() => progressText(update, performance.now() - startedAt));
  try {
    return await task.wait({
      signal,
      onUpdate: (latest) => {
        update = latest;
        line.update();
      },
    });
  } finally {
    line.stop();
  }
}

function progressText(update: TaskUpdate | undefined, ms: number): string {
  const percent = update?.progress === undefined ? '' : `  ${Math.floor(update.progress)}%`;
  const problem = update?.pollError === undefined ? '' : '  (poll failed, retrying)';
  return `${update?.status ?? 'submitted'}${percent}  ${formatDuration(ms)}${problem}`;
}

function resultOf(task: Task, { urls }: SucceededGeneration, files: readonly SavedFile[]) {
  return {
    taskId: task.id,
    idempotencyKey: task.idempotencyKey,
    kind: task.kind,
    status: 'succeeded',
    files: files.map(({ path }) => path),
    urls,
    usd: task.chargeUsd,
  };
}
