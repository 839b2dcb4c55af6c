import type { Polygate, Receipt, Task } from 'polygate';

import { isUncharged, withEarlierCharge } from '../../internal/charges.ts';
import { messageOf } from '../arguments.ts';
import { earlierRequestAdvice } from '../failure.ts';
import type { FailureContext } from '../failure.ts';
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
  readonly context: FailureContext;
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
  const { gateway, store, signal, context, waitCommand } = run;
  const { request, idempotencyKey } = entry;
  const { clean = cleanText } = context;
  if (request === undefined) throw new Error('the request is not in the state folder');
  context.idempotencyKey = idempotencyKey;
  context.next = waitCommand(idempotencyKey);
  context.sent = 'maybe';
  note(`If this is interrupted: ${context.next}`);
  const task = await send(gateway, request, idempotencyKey, signal).catch((error: unknown) => {
    if (isRepeated) throw withEarlierCharge(error, earlierRequestAdvice);
    if (isUncharged(error)) {
      store.remove(entry);
      context.next = undefined;
    }
    throw error;
  });
  context.sent = 'accepted';
  context.chargeUsd = task.chargeUsd;
  // A response with a finished result may have no id. Then only its key can find it again.
  if (task.id) {
    storeReceipt({ ...entry, request: undefined, receipt: task.toJSON() }, { store, clean });
    const id = clean(task.id);
    // An id that cannot be printed cannot be repeated. The key finds the task, too.
    context.next = waitCommand(id === task.id ? id : idempotencyKey);
    note(`Submitted as ${id}. If this is interrupted: ${context.next}`);
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
