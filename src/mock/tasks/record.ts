import type { TaskKind } from '../../schemas/task.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Task } from '../account/state.ts';
import { phaseOf } from './store.ts';
import type { Phase } from './store.ts';

/** File endings by kind of task. */
export const fileEndings = { image: 'svg', video: 'mp4', audio: 'wav' } as const;

const listNames = { image: 'images', video: 'videos', audio: 'audios' } as const;

/** The documented record of a task as of now. Specification: Audio task; assumptions A3 to A6. */
export function taskRecord(
  call: RequestContext,
  task: Task,
  phase = phaseOf(task, call.now),
): unknown {
  const { A3, A6 } = call.services.assumptions;
  const bare = A3 === 'openai' && task.kind !== 'audio';
  const record = bare ? openAiRecord(call, task, phase) : documentedRecord(call, task, phase);
  return A6 === 'flat' ? record : { code: 'success', message: '', [A6]: record };
}

function documentedRecord(call: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  return {
    id: task.id,
    task_id: task.id,
    object: `${task.kind}.generation.job`,
    status: statusWord(call, phase),
    raw_status: phase.rawStatus,
    progress: `${phase.percent}%`,
    model: task.model,
    created_at: seconds(task.createdAt),
    completed_at: phase.percent === 100 ? seconds(task.endsAt) : null,
    ...results(call, task, phase),
    error: phase.status === 'failed' ? failure : null,
    ...pollLink(call, task),
  };
}

/** The same in the style of OpenAI's records. Assumption A3. */
function openAiRecord(call: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  const done = phase.status === 'completed';
  return {
    id: task.id,
    object: task.kind,
    model: task.model,
    status: statusWord(call, phase),
    progress: phase.percent,
    created_at: seconds(task.createdAt),
    data: done ? resultUrls(call, task).map((url) => ({ url })) : null,
    error: phase.status === 'failed' ? failure : null,
  };
}

/** The state in which a submit leaves its task. */
export const justSubmitted: Phase = { status: 'queued', rawStatus: 'SUBMITTED', percent: 0 };

/** Why a task of this gateway fails. */
export const failure = {
  message: 'The model could not finish this task',
  code: 'generation_failed',
};

function statusWord(call: RequestContext, phase: Phase): string {
  const { A4 } = call.services.assumptions;
  if (A4 === 'raw') return phase.rawStatus;
  return phase.status === 'completed' ? A4 : phase.status;
}

function results(call: RequestContext, task: Task, phase: Phase): Record<string, unknown> {
  const field = `${task.kind}_url`;
  if (phase.status !== 'completed') return { [field]: null, result: null };
  const outputs = resultUrls(call, task);
  const [first] = outputs;
  if (task.kind === 'audio' && call.services.assumptions.A5 === 'output') {
    return { [field]: first, result: null, output: { audio_url: first } };
  }
  const list = outputs.map((url) => ({ url }));
  return { [field]: first, result: { [field]: first, outputs, [listNames[task.kind]]: list } };
}

/** Links stop working after a while; a poll after that gives links for the next while. */
export function resultUrls(call: RequestContext, task: Task): string[] {
  const ttl = call.services.settings.tasks.resultTtlMs;
  const expires = task.endsAt + ttl * (Math.floor(Math.max(0, call.now - task.endsAt) / ttl) + 1);
  const query = Number.isFinite(expires) ? `?expires=${expires}` : '';
  const ending = fileEndings[task.kind];
  return Array.from(
    { length: task.count },
    (_, index) => `${call.origin}/media/${task.id}/${index + 1}.${ending}${query}`,
  );
}

function pollLink(call: RequestContext, task: Task): { poll_url?: string } {
  const path = pollPath(call, task.kind, task.id);
  return path === undefined ? {} : { poll_url: call.origin + path };
}

/**
 * Where to ask for a task; undefined when a switch makes the client find out. Assumptions A1, A2.
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
