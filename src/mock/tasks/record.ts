import type { TaskKind } from '../../schemas/task.ts';
import type { Task } from '../account/state.ts';
import type { RequestContext } from '../http/request-context.ts';
import { phaseOf } from './phase.ts';
import type { Phase } from './phase.ts';

/** The file extension of a task's results. */
export const fileEndings = { image: 'svg', video: 'mp4', audio: 'wav' } as const;

const listNames = { image: 'images', video: 'videos', audio: 'audios' } as const;

/** The record of a task, by default at the time of the request. Specification: Audio task; assumptions A3 to A6. */
export function taskRecord(
  call: RequestContext,
  task: Task,
  phase = phaseOf(task, call.now),
): unknown {
  const { A3, A6 } = call.services.assumptions;
  const isOpenAi = A3 === 'openai' && task.kind !== 'audio';
  const record = isOpenAi ? openAiRecord(call, task, phase) : documentedRecord(call, task, phase);
  return A6 === 'flat' ? record : { code: 'success', message: '', [A6]: record };
}

function documentedRecord(call: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  return {
    id: task.id,
    task_id: task.id,
    object: `${task.kind}.generation.job`,
    status: statusValue(call, phase),
    raw_status: phase.rawStatus,
    progress: `${phase.percent}%`,
    model: task.model,
    created_at: seconds(task.createdAt),
    completed_at: phase.percent === 100 ? seconds(task.endsAt) : null,
    ...resultFields(call, task, phase),
    error: phase.status === 'failed' ? failure : null,
    ...pollUrl(call, task),
  };
}

/** An OpenAI-style record. Assumption A3. */
function openAiRecord(call: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  const isCompleted = phase.status === 'completed';
  return {
    id: task.id,
    object: task.kind,
    model: task.model,
    status: statusValue(call, phase),
    progress: phase.percent,
    created_at: seconds(task.createdAt),
    data: isCompleted ? resultUrls(call, task).map((url) => ({ url })) : null,
    error: phase.status === 'failed' ? failure : null,
  };
}

/** The error of every failed task. */
export const failure = {
  message: 'The model could not finish this task',
  code: 'generation_failed',
};

function statusValue(call: RequestContext, phase: Phase): string {
  const { A4 } = call.services.assumptions;
  if (A4 === 'raw') return phase.rawStatus;
  return phase.status === 'completed' ? A4 : phase.status;
}

function resultFields(call: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  const field = `${task.kind}_url`;
  if (phase.status !== 'completed') return { [field]: null, result: null };
  const urls = resultUrls(call, task);
  const [first] = urls;
  if (task.kind === 'audio' && call.services.assumptions.A5 === 'output') {
    return { [field]: first, result: null, output: { audio_url: first } };
  }
  const list = urls.map((url) => ({ url }));
  const result = { [field]: first, outputs: urls, [listNames[task.kind]]: list };
  return { [field]: first, result };
}

/** The URLs of a task's files. They expire after `resultTtlMs`; later polls return new ones. */
export function resultUrls(call: RequestContext, task: Task): string[] {
  const ttl = call.services.settings.tasks.resultTtlMs;
  const expiredTimes = Math.floor(Math.max(0, call.now - task.endsAt) / ttl);
  const expires = task.endsAt + ttl * (expiredTimes + 1);
  const query = Number.isFinite(expires) ? `?expires=${expires}` : '';
  const ending = fileEndings[task.kind];
  return Array.from(
    { length: task.count },
    (_, index) => `${call.origin}/media/${task.id}/${index + 1}.${ending}${query}`,
  );
}

function pollUrl(call: RequestContext, task: Task): { poll_url?: string } {
  const path = pollPath(call, task.kind, task.id);
  return path === undefined ? {} : { poll_url: call.origin + path };
}

/**
 * The poll path of a task; undefined if a switch leaves it to the client to find the path.
 * Assumptions A1, A2.
 */
export function pollPath(call: RequestContext, kind: TaskKind, id: string): string | undefined {
  const { A1, A2 } = call.services.assumptions;
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
