import type { Task } from 'polygate';

import { formatUsd } from '../money.ts';
import { columns, print, printJson } from '../output.ts';
import { cleanText } from '../text.ts';

/** Polls a task once and prints its state. Returns the exit code. */
export async function printState(task: Task, isJson: boolean): Promise<number> {
  const { id, kind, status, progress, urls, error } = await task.retrieve();
  const { chargeUsd, idempotencyKey } = task;
  if (isJson) {
    await printJson({ id, kind, status, progress, urls, error, usd: chargeUsd, idempotencyKey });
    return 0;
  }
  const rows = [
    ['Task', cleanText(id)],
    ['Kind', kind],
    ['Status', status],
    ...(progress === undefined ? [] : [['Progress', `${progress}%`]]),
    ...(chargeUsd === undefined ? [] : [['Charge', formatUsd(chargeUsd)]]),
    ...(error === undefined ? [] : [['Error', cleanText(error.message)]]),
    ...urls.map((url) => ['URL', cleanText(url)]),
  ];
  await print(columns(rows));
  return 0;
}
