import type { TaskKind } from '../../wire/types/tasks/task.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { imageFormatOf } from '../media/image.ts';
import type { Task } from '../state.ts';
import { phaseOf } from './store.ts';
import type { Phase } from './store.ts';

/** The name of the list of results in a task record. */
export const resultLists = { image: 'images', video: 'videos', audio: 'audios' } as const;

/**
 * Creates the record of a task, by default at the time of the request. Specification: Audio task;
 * assumptions A3 to A6.
 */
export function taskRecord(
  context: RequestContext,
  task: Task,
  phase = phaseOf(task, context.now),
): unknown {
  const { A3, A6 } = context.services.assumptions;
  const isOpenAi = A3 === 'openai' && task.kind !== 'audio';
  const record = isOpenAi
    ? openAiRecord(context, task, phase)
    : documentedRecord(context, task, phase);
  return A6 === 'flat' ? record : { code: 'success', message: '', [A6]: record };
}

function documentedRecord(
  context: RequestContext,
  task: Task,
  phase: Phase,
): Record<string, unknown> {
  return {
    id: task.id,
    task_id: task.id,
    object: `${task.kind}.generation.job`,
    status: statusValue(context, phase),
    raw_status: phase.rawStatus,
    progress: `${phase.percent}%`,
    model: task.model,
    created_at: seconds(task.createdAt),
    completed_at: phase.percent === 100 ? seconds(task.endsAt) : null,
    ...resultFields(context, task, phase),
    error: phase.status === 'failed' ? taskFailure : null,
    ...pollUrl(context, task),
  };
}

/** Creates an OpenAI-style record. Assumption A3. */
function openAiRecord(context: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  const isCompleted = phase.status === 'completed';
  return {
    id: task.id,
    object: task.kind,
    model: task.model,
    status: statusValue(context, phase),
    progress: phase.percent,
    created_at: seconds(task.createdAt),
    data: isCompleted ? resultUrls(context, task).map((url) => ({ url })) : null,
    error: phase.status === 'failed' ? taskFailure : null,
  };
}

/** The error of every failed task. */
export const taskFailure = {
  message: 'The model could not finish this task',
  code: 'generation_failed',
};

function statusValue(context: RequestContext, phase: Phase): string {
  const { A4 } = context.services.assumptions;
  if (A4 === 'raw') return phase.rawStatus;
  return phase.status === 'completed' ? A4 : phase.status;
}

function resultFields(context: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  const field = `${task.kind}_url`;
  if (phase.status !== 'completed') return { [field]: null, result: null };
  const urls = resultUrls(context, task);
  const [first] = urls;
  if (task.kind === 'audio' && context.services.assumptions.A5 === 'output') {
    return { [field]: first, result: null, output: { audio_url: first } };
  }
  const list = urls.map((url) => ({ url }));
  const result = { [field]: first, outputs: urls, [resultLists[task.kind]]: list };
  return { [field]: first, result };
}

/** Returns the URLs of a task's files. They expire after `resultTtlMs`; later polls return new ones. */
export function resultUrls(context: RequestContext, task: Task): string[] {
  const { settings } = context.services;
  const ttl = settings.tasks.resultTtlMs;
  const elapsedLifetimes = Math.floor(Math.max(0, context.now - task.endsAt) / ttl);
  const expires = task.endsAt + ttl * (elapsedLifetimes + 1);
  const query = Number.isFinite(expires) ? `?expires=${expires}` : '';
  const extension = extensionOf(task, settings.imageFormat);
  return Array.from(
    { length: task.count },
    (_, index) => `${context.origin}/media/${task.id}/${index + 1}.${extension}${query}`,
  );
}

function pollUrl(context: RequestContext, task: Task): { poll_url?: string } {
  const path = pollPath(context, task.kind, task.id);
  return path === undefined ? {} : { poll_url: context.origin + path };
}

/**
 * Returns the poll path of a task; undefined if, under assumption A1 or A2, the client has to find it.
 */
export function pollPath(context: RequestContext, kind: TaskKind, id: string): string | undefined {
  const { A1, A2 } = context.services.assumptions;
  switch (kind) {
    case 'image':
      return A2 === 'any' ? `/v1/images/tasks/${id}` : undefined;
    case 'video':
      return A1 === 'any' ? `/v1/videos/${id}` : undefined;
    case 'audio':
      return `/v1/audio/tasks/${id}`;
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** The extension of a task's files, which is the name of their format. */
export function extensionOf({ kind, body }: Task, imageFormat: 'png' | 'svg'): string {
  if (kind === 'image') return imageFormatOf(body, imageFormat);
  return kind === 'video' ? 'mp4' : 'wav';
}
