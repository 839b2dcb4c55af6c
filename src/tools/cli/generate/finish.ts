import type { SucceededGeneration, Task, TaskUpdate } from 'polygate';
import type { SavedFile } from 'polygate/node';

import { nameOfTask } from '../files/output-name.ts';
import { saveResults } from '../files/save-results.ts';
import { formatUsd } from '../money.ts';
import { note, print, printJson } from '../output.ts';
import { formatDuration, ProgressLine } from '../progress-line.ts';
import { cleanText } from '../text.ts';
import type { TaskRun } from './submit.ts';

/** What happens with the results of a task. */
export interface ResultOptions {
  /** Template of the file names. */
  readonly output: string;
  readonly overwrite: boolean;
  readonly isJson: boolean;
}

/** Waits for a task, saves its results and prints their names. */
export async function finish(task: Task, run: TaskRun, options: ResultOptions): Promise<void> {
  const { gateway, signal, log } = run;
  const generation = await waitWithProgress(task, signal);
  const { output: template, overwrite } = options;
  // A response with a finished result may have no id.
  const id = nameOfTask(task.id || (task.idempotencyKey ?? ''));
  const files = await saveResults(gateway, generation, { template, id }, { overwrite, signal });
  log.noteSaved(files.map(({ path }) => path));
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
