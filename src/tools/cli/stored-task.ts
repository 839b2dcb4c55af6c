import type { Outcome, Polygate, ResponseMeta, Submission, Task } from 'polygate';

import { withEarlierCharge } from '../../internal.ts';
import { namedTask, verdictOfError } from '../../paid/failed-call.ts';
import { fold, mayBeCharged, next } from '../../paid/life.ts';
import type { Life } from '../../paid/life.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { messageOf, UsageError } from './arguments.ts';
import { earlierRequestAdvice } from './failure.ts';
import type { CommandLog } from './run-command.ts';
import { hashOf } from './task-store.ts';
import type { GenerationRequest, TaskEntry, TaskStore } from './task-store.ts';
import { note } from './terminal.ts';
import { cleanText } from './text.ts';

/** What an entry of the state folder says. */
function lifeOf(found: TaskEntry | 'damaged' | undefined): Life {
  if (found === undefined) return {};
  if (found === 'damaged') return { open: 1 };
  return { ...found, open: 1, fingerprint: found.hash, end: found.status };
}

/**
 * A request with its file in the state folder. Whether it is sent is decided from what earlier processes have recorded, and
 * what happens to it is recorded here.
 */
export class StoredTask {
  readonly #store: TaskStore;
  readonly #earlier: Life;
  /** What the file contains, or will contain when the request is recorded. */
  entry: TaskEntry;

  private constructor(store: TaskStore, entry: TaskEntry, earlier: Life) {
    this.#store = store;
    this.entry = entry;
    this.#earlier = earlier;
  }

  /** Finds a request, or describes a new one. Throws a `UsageError` if its key belongs to other params. */
  static find(
    store: TaskStore,
    {
      request,
      ...given
    }: Pick<TaskEntry, 'baseURL' | 'account' | 'idempotencyKey' | 'output'> & {
      request: GenerationRequest;
    },
  ): StoredTask {
    const found = store.get(given);
    const earlier = lifeOf(found);
    const hash = hashOf(request);
    if (next(earlier, { fingerprint: hash }, 'key') === 'outcome_unknown') {
      throw new UsageError(
        `the key ${given.idempotencyKey} belongs to another request of this machine`,
      );
    }
    const known = typeof found === 'object' ? found : undefined;
    const created = { v: 1, kind: request.kind, createdAt: new Date().toISOString() } as const;
    // The params of a large request may not have been stored.
    const sent = known?.receipt === undefined ? request : undefined;
    const entry = { ...created, ...known, ...given, hash, request: sent };
    return new StoredTask(store, entry, earlier);
  }

  /** Continues what is recorded. Throws a `UsageError` if that is not possible. */
  static continue(store: TaskStore, entry: TaskEntry): StoredTask {
    const earlier = lifeOf(entry);
    const hasParams = entry.request !== undefined;
    if (next(earlier, { hasParams }, 'key') === 'params_not_stored') {
      throw new UsageError(
        `the params of this request are not in the state folder: run the command that sent it again, with --idempotency-key ${entry.idempotencyKey}`,
      );
    }
    return new StoredTask(store, entry, earlier);
  }

  /** Whether another process may have sent the request. Then no response to this one proves that nothing was charged. */
  get isRepeated(): boolean {
    return mayBeCharged(this.#earlier);
  }

  /**
   * Records that the request is about to be sent. Returns what is to be sent or continued: another process may have recorded
   * the request in the meantime. Throws a `UsageError` if its key cannot be stored.
   */
  record(): StoredTask {
    const { entry } = this;
    if (entry.receipt !== undefined) return this;
    if (this.isRepeated) {
      this.#tryWrite({ resent: true });
      return this;
    }
    const { request } = entry;
    if (request === undefined || this.#store.create(entry)) return this;
    return StoredTask.find(this.#store, { ...entry, request }).record();
  }

  /** Records the receipt. The request, which contains the prompt, is no longer needed. */
  accept(task: Pick<Task, 'id' | 'toJSON'>): void {
    this.#change({ receipt: task.toJSON() });
    // A response with a finished result may have no id. Then only its key can find it again.
    if (task.id) this.#store.write(this.entry);
  }

  /** Forgets the request if its failure proves that nothing was charged under its key. Returns whether that is so. */
  refuse(error: unknown): boolean {
    const sent = fold(this.#earlier, { sent: this.entry.hash });
    const verdict = verdictOfError(error);
    const isUnpaid = !mayBeCharged(fold(sent, verdict));
    if (isUnpaid) this.#store.remove(this.entry, verdict.money === 'void');
    return isUnpaid;
  }

  /** Records how the task has ended. Only lists of tasks show it. */
  end(task: Pick<Task, 'id' | 'toJSON'>, status: 'succeeded' | 'failed'): void {
    this.#change({ receipt: task.toJSON(), status });
    if (task.id) this.#tryWrite({});
    else this.#store.remove(this.entry);
  }

  #change(facts: Pick<TaskEntry, 'receipt' | 'status'>): void {
    this.entry = { ...this.entry, ...facts, request: undefined, resent: undefined };
  }

  /** The key is in the file already, so that a failure is no reason to stop. */
  #tryWrite(facts: Pick<TaskEntry, 'resent'>): void {
    try {
      this.entry = { ...this.entry, ...facts };
      this.#store.write(this.entry);
    } catch {
      // What was stored is still there.
    }
  }
}

/** A command that submits or continues a task. */
export interface TaskRun {
  readonly gateway: Polygate;
  readonly signal: AbortSignal;
  readonly log: CommandLog;
  /** Returns the command that waits for a task id or key. */
  readonly waitCommand: (idOrKey: string) => string;
  /** Called right before the request is sent for the first time. If it throws, nothing is sent. */
  readonly beforeSent?: (() => void) | undefined;
  /** Called with the metadata of each response, before another request takes its slot. */
  readonly onResponse?: ((meta: ResponseMeta) => void) | undefined;
}

/** Submits a request that is already recorded, and records what the response says. */
export async function submitEntry(stored: StoredTask, run: TaskRun): Promise<Task> {
  const { gateway, signal, log, waitCommand, beforeSent, onResponse } = run;
  const { request, idempotencyKey } = stored.entry;
  const { clean = cleanText } = log.context;
  if (request === undefined) throw new Error('the request is not in the state folder');
  log.note({ sent: 'unknown', idempotencyKey, next: waitCommand(idempotencyKey) });
  let mayBeSent = stored.isRepeated;
  const observer = {
    beforeAttempt: async () => {
      if (!mayBeSent) beforeSent?.();
    },
    onResponse,
    onRetry: (outcome: Outcome) => {
      mayBeSent ||= outcome === 'unknown';
    },
  };
  const task = await submissionOf(gateway, request)
    .send({ idempotencyKey, signal }, observer)
    .catch((error: unknown) => {
      const named = namedTask(error);
      if (named) return unchecked<Task>(named);
      if (stored.refuse(error)) {
        log.note({ next: undefined, idempotencyKey: undefined, isRepeated: false });
        throw error;
      }
      throw stored.isRepeated ? withEarlierCharge(error, earlierRequestAdvice) : error;
    });
  log.note({ sent: 'accepted', idempotencyKey, chargeUsd: task.chargeUsd });
  try {
    stored.accept(task);
  } catch (error) {
    // The key is stored, so that there is no reason to stop.
    const receipt = clean(JSON.stringify(task));
    note(`The receipt could not be stored: ${messageOf(error)}. Keep it:\n${receipt}`);
  }
  // An id that cannot be printed cannot be repeated. The key finds the task as well.
  if (task.id && clean(task.id) === task.id) log.note({ next: waitCommand(task.id) });
  return task;
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
