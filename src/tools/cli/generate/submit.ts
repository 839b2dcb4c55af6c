import type { Polygate, Receipt, Task } from 'polygate';

import { isUncharged, withEarlierCharge } from '../../../internal.ts';
import { messageOf } from '../arguments.ts';
import type { CommandLog } from '../command-log.ts';
import { earlierRequestAdvice } from '../failure.ts';
import { note } from '../output.ts';
import type { TaskEntry } from '../state/task-entry.ts';
import type { TaskStore } from '../state/task-store.ts';
import { cleanText } from '../text.ts';
import { send } from './send.ts';

/** A command that submits or continues a task. */
export interface TaskRun {
  readonly gateway: Polygate;
  readonly store: TaskStore;
  readonly signal: AbortSignal;
  readonly log: CommandLog;
  /** Returns the command that waits for a task id or key. */
  readonly waitCommand: (idOrKey: string) => string;
}

/**
 * Submits the request of an entry that is already stored, and stores the receipt. An entry from an earlier process may
 * have been charged, whatever happens now.
 */
export async function submitEntry(
  entry: TaskEntry,
  run: TaskRun,
  isRepeated: boolean,
): Promise<Task> {
  const { gateway, store, signal, log, waitCommand } = run;
  const { request, idempotencyKey } = entry;
  const { clean = cleanText } = log.context;
  if (request === undefined) throw new Error('the request is not in the state folder');
  const repeat = waitCommand(idempotencyKey);
  log.noteSending({ idempotencyKey, next: repeat });
  note(`If this is interrupted: ${repeat}`);
  const task = await send(gateway, request, idempotencyKey, signal).catch((error: unknown) => {
    if (isRepeated) throw withEarlierCharge(error, earlierRequestAdvice);
    if (isUncharged(error)) {
      store.remove(entry);
      log.noteUncharged();
    }
    throw error;
  });
  log.noteAccepted({ idempotencyKey, chargeUsd: task.chargeUsd });
  // A response with a finished result may have no id. Then only its key can find it again.
  if (task.id) {
    storeReceipt({ ...entry, request: undefined, receipt: task.toJSON() }, { store, clean });
    const id = clean(task.id);
    // An id that cannot be printed cannot be repeated. The key finds the task as well.
    const next = id === task.id ? waitCommand(id) : repeat;
    log.noteNext(next);
    note(`Submitted as ${id}. If this is interrupted: ${next}`);
  }
  return task;
}

/** Stores a receipt. The key is already stored, so that a failure is no reason to stop waiting. */
function storeReceipt(
  entry: TaskEntry,
  { store, clean }: { store: TaskStore; clean: (text: string) => string },
): void {
  try {
    store.write(entry);
  } catch (error) {
    const receipt = clean(receiptText(entry));
    note(`The receipt could not be stored: ${messageOf(error)}. Keep it:\n${receipt}`);
  }
}

function receiptText({ receipt }: { receipt?: Receipt | undefined }): string {
  return JSON.stringify(receipt);
}
