import type { Outcome, Polygate, Receipt, Submission, Task } from 'polygate';

import { isUncharged, withEarlierCharge } from '../../internal.ts';
import { isVoid } from '../../paid/verdict.ts';
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
  /** Called right before the request is sent for the first time. If it throws, nothing is sent. */
  readonly beforeSent?: (() => void) | undefined;
  /** Called with each response, before another request takes its slot. */
  readonly onResponse?: ((response: Response) => void) | undefined;
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
  const { gateway, store, signal, log, waitCommand, beforeSent, onResponse } = run;
  const { request, idempotencyKey } = entry;
  const { clean = cleanText } = log.context;
  if (request === undefined) throw new Error('the request is not in the state folder');
  const repeat = waitCommand(idempotencyKey);
  log.noteSending({ idempotencyKey, next: repeat });
  const submission = submissionOf(gateway, request);
  let mayBeSent = isRepeated;
  const observer = {
    beforeAttempt: async () => {
      if (!mayBeSent) beforeSent?.();
    },
    onResponse,
    onRetry: (outcome: Outcome) => {
      mayBeSent ||= outcome === 'unknown';
    },
  };
  const task = await submission
    .send({ idempotencyKey, signal }, observer)
    .catch((error: unknown) => {
      if (isRepeated && !isVoid(error)) throw withEarlierCharge(error, earlierRequestAdvice);
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
    if (id === task.id) log.noteNext(waitCommand(id));
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

/** Describes the request of a task. Equal parts give the same body, so that a repetition is a replay. */
export function submissionOf(
  gateway: Polygate,
  { kind, model, prompt: given, params }: GenerationRequest,
): Submission {
  const prompt = given ?? '';
  // An undefined field of the body is not sent.
  const extraBody = given === undefined ? { prompt: given, text: given, ...params } : params;
  const options = { extraBody: { ...extraBody } };
  switch (kind) {
    case 'image':
      return gateway.images.submission({ model, prompt }, options);
    case 'video':
      return gateway.videos.submission({ model, prompt }, options);
    case 'music':
      return gateway.audio.music.submission({ model, prompt }, options);
    case 'speech':
      return gateway.audio.speech.submission({ model, text: prompt }, options);
  }
}
