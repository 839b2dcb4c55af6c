import { TaskFailedError } from 'polygate';
import type { Polygate, Task, SucceededGeneration, TaskUpdate } from 'polygate';

import { formatUsd } from '../money.ts';
import { messageOf } from './arguments.ts';
import type { EarlyEnd } from './early-end.ts';
import { describeFailure } from './failure.ts';
import { nameOfTask } from './output-name.ts';
import { saveResults } from './save-results.ts';
import { submitEntry } from './stored-task.ts';
import type { StoredTask, TaskRun } from './stored-task.ts';
import { note, noteFailure, print, printJson, formatDuration, ProgressLine } from './terminal.ts';
import { cleanText } from './text.ts';

/** How a task is continued. */
export interface ContinueOptions {
  /** Template of the file names. */
  readonly output: string;
  readonly overwrite: boolean;
  readonly isJson: boolean;
  /** Receives the receipt as JSON, before the wait. */
  readonly onReceipt: (receipt: string) => void;
  /** Whether to wait for the result. Otherwise, the receipt is printed. */
  readonly wait: boolean;
}

/** Takes a task from where it is to its saved results. Returns the exit code. */
export async function continueTask(
  stored: StoredTask,
  run: Omit<TaskRun, 'signal'> & { readonly end: EarlyEnd },
  options: ContinueOptions,
): Promise<number> {
  const { end, gateway, log, waitCommand } = run;
  const { receipt } = stored.entry;
  const taskRun: TaskRun = { ...run, signal: end.signal };
  try {
    let task: Task;
    if (receipt === undefined) {
      task = await submitEntry(stored, taskRun);
      log.note({ chargeUsd: chargeOf(task, gateway) });
    } else {
      task = gateway.resume(receipt);
      // A task that was submitted elsewhere has no key that is known here.
      const { idempotencyKey, chargeUsd } = task;
      log.note({ sent: 'accepted', idempotencyKey, chargeUsd, next: waitCommand(task.id) });
    }
    const text = `${JSON.stringify(task)}\n`;
    try {
      options.onReceipt(text);
    } catch (error) {
      note(`The receipt could not be written: ${messageOf(error)}`);
    }
    if (!options.wait) {
      await print(text);
      return 0;
    }
    if (receipt === undefined) note(`If this is interrupted: ${log.context.next}`);
    await finish(task, taskRun, options);
    stored.end(task, 'succeeded');
    return 0;
  } catch (error) {
    if (TaskFailedError.is(error)) {
      stored.end(error.task, 'failed');
      log.note({ next: undefined });
    }
    if (end.exitCode === undefined) throw error;
    noteFailure(describeFailure(error, log.context));
    return end.exitCode;
  } finally {
    end.dispose();
  }
}

/** Waits for a task, saves its results and prints their names. */
async function finish(task: Task, run: TaskRun, options: ContinueOptions): Promise<void> {
  const { gateway, signal, log } = run;
  const generation = await waitWithProgress(task, signal);
  const { output: template, overwrite } = options;
  // A response with a finished result may have no id.
  const id = nameOfTask(task.id || (task.idempotencyKey ?? ''));
  const files = await saveResults(gateway, generation, { template, id }, { overwrite, signal });
  const paths = files.map(({ path }) => path);
  log.note({ saved: paths, next: undefined });
  const { meta, replayed } = task;
  const chargeUsd = chargeOf(task, gateway);
  // A resumed task, or a repeated request, was paid for once.
  const isEarlier = meta === undefined || replayed;
  if (options.isJson) {
    const { urls } = generation;
    const { id: taskId, idempotencyKey, kind } = task;
    const result = { taskId, idempotencyKey, kind, status: 'succeeded', files: paths, urls };
    await printJson({ ...result, usd: chargeUsd });
  } else {
    await print(paths.map((path) => `${cleanText(path)}\n`).join(''));
    if (chargeUsd !== undefined)
      note(`Charged: ${formatUsd(chargeUsd)}${isEarlier ? ', once under its key' : ''}`);
  }
  const isUnverified = files.some(({ complete }) => complete === 'unverified');
  if (isUnverified)
    note('The server did not say how large the result is: check that it is complete.');
}

/** What a task has cost. A service that ignores keys can have charged attempts that this command has repeated, too. */
const chargeOf = ({ chargeUsd }: Task, { spend }: Polygate): number | undefined =>
  spend.totalUsd || chargeUsd;

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
