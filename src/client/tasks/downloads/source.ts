import { ConfigurationError } from '../../../errors/base.ts';
import type { TaskHandle } from '../../../wire/types/tasks/task-handle.ts';
import type { Generation, Receipt, TaskKind } from '../../../wire/types/tasks/task.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { checkValue } from '../../config/validation.ts';
import type { Rule } from '../../config/validation.ts';
import { taskFailedError } from '../failed-task.ts';
import { rememberedTask } from '../remembered-tasks.ts';
import { hasId } from '../task-id.ts';

/** Something to download: a URL, a generation, or a task. */
export interface DownloadSource {
  /** What has the results, for messages. */
  readonly name: 'a URL' | 'the task';
  /** The URLs of the results; undefined if they are not known yet. */
  readonly urls: readonly string[] | undefined;
  /** What the results are; undefined for a URL, which says nothing about that. */
  readonly kind?: TaskKind | undefined;
  /** Whether the URLs are all that there will ever be. */
  readonly isFinal: boolean;
  /** The task of the results. Errors carry it. */
  readonly task?: TaskHandle | undefined;
}

const sourceRule: Rule = [
  (value) => isRecord(value) && 'kind' in value,
  'a URL, a generation or a task',
];

/**
 * Describes what the caller wants to download. A task that has not succeeded has no results, although its record may have
 * the URLs of previews. A caller who wants one of them passes the record.
 */
export function parseSource(
  source: string | Generation | TaskHandle,
  openTask: (receipt: Receipt) => TaskHandle,
): DownloadSource {
  if (typeof source === 'string') return { name: 'a URL', urls: [source], isFinal: true };
  checkValue('source', source ?? null, sourceRule);
  const name = 'the task';
  if ('wait' in source) {
    const { latest, kind } = source;
    const isFinal = latest?.status === 'succeeded';
    return { name, kind, urls: isFinal ? latest.urls : undefined, isFinal, task: source };
  }
  const { kind, id, urls, status } = source;
  const openKnown = () => (hasId(source) ? openTask({ v: 1, kind, id }) : undefined);
  const task = rememberedTask(source) ?? openKnown();
  return { name, kind, urls, isFinal: status === 'succeeded', task };
}

/** The error for an index that no result has. */
export function noResultError(
  index: number,
  { name, urls = [], task }: Omit<DownloadSource, 'isFinal' | 'kind'>,
): ConfigurationError {
  const count = urls.length === 1 ? '1 result' : `${urls.length} results`;
  return new ConfigurationError(
    `index: result ${index} does not exist: ${name} has ${count} (indexes start at 0). The download was not charged.`,
    { task },
  );
}

/** The error for a task that has not succeeded. */
export function unfinishedError(task: TaskHandle, generation: Generation) {
  if (generation.status === 'failed') return taskFailedError(task, generation);
  const { id, idempotencyKey } = task;
  return new ConfigurationError(
    `Task ${id} is still processing. Download its result after error.task.wait().`,
    { task, idempotencyKey },
  );
}
