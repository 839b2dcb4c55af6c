import { signal } from '@preact/signals';
import type { Receipt, TaskStatus, TaskUpdate } from 'polygate';

import { toProblem } from '../../shared/problem.ts';
import type { Problem } from '../../shared/problem.ts';
import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { submit } from './generation-request.ts';
import type { GenerationRequest } from './generation-request.ts';

/** A generation request and its current state. */
export interface Job {
  /** The idempotency key. */
  id: string;
  request: GenerationRequest;
  /** Unix milliseconds. */
  at: number;
  /** The task's status, or the state of the client: before a task exists, or after an error ended the wait. */
  state: 'submitting' | TaskStatus | 'error';
  progress: number;
  urls: readonly string[];
  /** Set once the service has accepted the task. The page can resume the task with it at any time. */
  receipt?: Receipt | undefined;
  costUsd?: number | undefined;
  /** Whether a lost response was recovered by its idempotency key, at no charge. */
  replayed?: boolean | undefined;
  /** Whether the page was reloaded, and continued the task with its receipt. */
  isResumed?: boolean | undefined;
  /** The error of the last poll. Polling continues. */
  pollError?: string | undefined;
  problem?: Problem | undefined;
  /** Whether it was removed, and can still be restored. Meanwhile, it continues. */
  isRemoved?: boolean | undefined;
}

/** All jobs, the latest first. */
export const jobs = signal<readonly Job[]>([]);

/** Starts a job. Its idempotency key exists, and is stored, before anything is sent. */
export function startJob(request: GenerationRequest): void {
  const id = `page-${crypto.randomUUID()}`;
  const job: Job = { id, request, at: Date.now(), state: 'submitting', progress: 0, urls: [] };
  jobs.value = [job, ...jobs.value.filter(({ isRemoved }) => isRemoved !== true)];
  void runJob(job);
}

/**
 * Starts or continues a job: resumes its task if there is a receipt, or submits the request again with the same key.
 */
export async function runJob(job: Job): Promise<void> {
  const { id, receipt } = job;
  if (receipt === undefined) change(id, { state: 'submitting', problem: undefined });
  else change(id, { state: 'running', problem: undefined });
  try {
    const task = receipt === undefined ? await submit(job.request, id) : gateway.resume(receipt);
    const { status: state = 'running', progress = job.progress } = task.latest ?? {};
    const costUsd = task.chargeUsd ?? job.costUsd;
    change(id, { state, progress, costUsd, receipt: task.toJSON() });
    if (task.meta?.idempotentReplay === true) change(id, { replayed: true });
    for await (const update of task.updates()) applyUpdate(id, update);
  } catch (error) {
    const problem = toProblem(error);
    change(id, { state: 'error', problem });
    announce(`${job.request.kind}: ${problem.name}`);
  }
}

/** Continues a job after a reload. */
export function resumeJob(job: Job): void {
  if (job.receipt !== undefined) change(job.id, { isResumed: true });
  void runJob(job);
}

/** Removes a job from the page, until another one is removed or started. Its task continues at the gateway. */
export function removeJob(id: string): void {
  const others = jobs.value.filter(({ isRemoved }) => isRemoved !== true);
  jobs.value = others.map((job) => (job.id === id ? { ...job, isRemoved: true } : job));
  announce('Removed. It can be restored.');
}

/** Restores a job that was removed. */
export function restoreJob(id: string): void {
  change(id, { isRemoved: undefined });
  announce('Restored.');
}

/** Whether a job has not ended yet. */
export function isRunning({ state }: Job): boolean {
  return state === 'submitting' || state === 'queued' || state === 'running';
}

function applyUpdate(id: string, update: TaskUpdate): void {
  const { status: state, progress = 0, urls, error } = update;
  const problem = error && { name: 'TaskFailedError', message: error.message };
  const pollError = update.pollError && toProblem(update.pollError).name;
  change(id, { state, progress: state === 'succeeded' ? 100 : progress, urls, problem, pollError });
  if (state === 'succeeded') announce(`The ${update.kind} is ready.`);
  if (state === 'failed') announce(`The ${update.kind} failed.`);
}

function change(id: string, changes: Partial<Job>): void {
  jobs.value = jobs.value.map((job) => (job.id === id ? { ...job, ...changes } : job));
}
