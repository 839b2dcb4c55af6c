import type {
  Generation,
  Receipt,
  SucceededGeneration as Succeeded,
  TaskHandle,
  TaskKind,
  TaskUpdate,
  WaitOptions,
} from 'polygate';

import { hasExpiredURL } from '../../../wire/types/tasks/task.ts';
import type { Entry } from './entry.ts';
import type { KeyValueStorage } from './stored-value.ts';

export type { Succeeded };

/** What generates: `gateway.images`, `gateway.videos`, `gateway.audio.music` or `gateway.audio.speech`. */
export interface GenerationNamespace<Params, Kind extends TaskKind> {
  /** What its tasks generate. */
  readonly media: string;
  /** Submits a task. */
  submit(
    params: Params,
    options?: { idempotencyKey?: string | undefined; signal?: AbortSignal | undefined },
  ): PromiseLike<TaskHandle<Kind>>;
  /** Returns the handle of a task from its receipt. */
  task(receipt: Receipt<Kind>): TaskHandle<Kind>;
}

/** Options of `useGeneration`. */
export interface GenerationOptions<Kind extends TaskKind = TaskKind> {
  /**
   * Identifies the generation in the storage. Components and tabs that use the same id share one task; another user of
   * the browser must have another id. Without it, nothing is stored, and a reload forgets the task.
   */
  id?: string | undefined;
  /**
   * Where the generation is stored. Ignored without `id`.
   * @defaultValue `localStorage`, or none where there is none
   */
  storage?: KeyValueStorage | undefined;
  /**
   * Whether the params are stored until the task is accepted, so that `resume()` can send them again after a reload.
   * Without them, call `generate` with the same params.
   * @defaultValue true
   */
  storeParams?: boolean | undefined;
  /**
   * Whether `generate` and `resume` reject with the `code` `not_stored`, before anything is sent, if the key cannot be
   * stored. Otherwise the request is sent, and `isStored` is false.
   * @defaultValue false
   */
  requireStorage?: boolean | undefined;
  /** How to wait for the task. */
  waitOptions?: Omit<WaitOptions<TaskUpdate<Kind>>, 'signal'> | undefined;
  /** Called once per task when it has succeeded; not again after a reload. */
  onFinish?: ((generation: Succeeded<Kind>) => void) | undefined;
  /** Called once per task when it has failed, or when its state is not known; not again after a reload. */
  onError?: ((error: Error) => void) | undefined;
}

/**
 * State of a generation:
 *
 * - `submitting`: the request is sent, by this tab or another one.
 * - `queued`, `running`: the task was accepted.
 * - `succeeded`, `failed`: it has ended. With a `task` that has not ended, `failed` means that the wait failed, and
 *   `resume()` continues it.
 * - `unknown`: a request was sent, and its response was lost. `resume()` sends it again, at no second charge. Also if the
 *   stored entry is damaged: then, only `reset()` helps.
 */
export type GenerationStatus =
  | 'idle'
  | 'submitting'
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'unknown';

/** What a component shows of a generation. Never modified. */
export interface GenerationSnapshot<Kind extends TaskKind = TaskKind> {
  /** State of the generation. */
  readonly status: GenerationStatus;
  /** Progress in percent, 0 to 100, if the service reports it. */
  readonly progress: number | undefined;
  /** URLs of the results. They are not permanent. */
  readonly urls: readonly string[];
  /** The task as it was last received, after it has ended. */
  readonly generation: Generation<Kind> | undefined;
  /** The submitted task. */
  readonly task: TaskHandle<Kind> | undefined;
  /** Why the generation failed, or why its state is unknown. */
  readonly error: Error | undefined;
  /** Whether a request is being sent or a task is being waited for. While it is true, `generate` rejects. */
  readonly isPending: boolean;
  /**
   * Whether a reload keeps the generation. False if its key could not be stored, or without `id`: a reload while it is
   * pending then loses what was paid for. True if there is no generation.
   */
  readonly isStored: boolean;
}

/** The state before anything is read from the storage, and on a server. */
export const idle: GenerationSnapshot<never> = {
  status: 'idle',
  progress: undefined,
  urls: [],
  generation: undefined,
  task: undefined,
  error: undefined,
  isPending: false,
  isStored: true,
};

/** The status to show, given what the store knows of its generation. */
export function statusOf({
  entry,
  isSubmitting,
  isStopped,
  error,
}: {
  readonly entry: Entry | undefined;
  readonly isSubmitting: boolean;
  readonly isStopped: boolean;
  readonly error: Error | undefined;
}): GenerationStatus {
  if (isSubmitting) return 'submitting';
  if (!entry) return error ? 'failed' : 'idle';
  if (entry.generation) return entry.generation.status;
  if (!entry.receipt) return 'unknown';
  if (error) return 'failed';
  if (isStopped) return 'idle';
  return entry.status === 'running' ? 'running' : 'queued';
}

/** Whether there is a task to wait for. */
export const isWaiting = (status: GenerationStatus): status is 'queued' | 'running' =>
  status === 'queued' || status === 'running';

/** Whether no other generation may be started. */
export const isPending = (status: GenerationStatus): boolean =>
  status === 'submitting' || isWaiting(status);

/** Requests a URL, and returns whether the response says that it has expired. False if there is no response to read. */
export async function hasExpired(url: string | undefined): Promise<boolean> {
  if (!url) return false;
  const controller = new AbortController();
  const { signal } = controller;
  // Most servers do not let a page read the responses of another origin.
  const response = await fetch(url, { signal }).catch(() => undefined);
  controller.abort();
  return hasExpiredURL(response?.status ?? 0);
}
