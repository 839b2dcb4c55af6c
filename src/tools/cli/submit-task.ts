import type { Polygate, Receipt, Task, SubmittedTask } from 'polygate';

import { isUncharged, withEarlierCharge } from '../../internal.ts';
import { messageOf } from './arguments.ts';
import { earlierRequestAdvice } from './failure.ts';
import type { CommandLog } from './run-command.ts';
import type { TaskEntry, TaskStore, GenerationRequest } from './task-store.ts';
import { note } from './terminal.ts';
import { cleanText } from './text.ts';

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

/** Submits a request under a key: the same body each time, so that a repetition is a replay. */
function send(
  gateway: Polygate,
  { kind, model, prompt: given, params }: GenerationRequest,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<SubmittedTask> {
  const prompt = given ?? '';
  // An undefined field of the body is not sent.
  const extraBody = given === undefined ? { prompt: given, text: given, ...params } : params;
  const options = { extraBody, idempotencyKey, signal };
  switch (kind) {
    case 'image':
      return gateway.images.submit({ model, prompt }, options);
    case 'video':
      return gateway.videos.submit({ model, prompt }, options);
    case 'music':
      return gateway.audio.music.submit({ model, prompt }, options);
    case 'speech':
      return gateway.audio.speech.submit({ model, text: prompt }, options);
  }
}
