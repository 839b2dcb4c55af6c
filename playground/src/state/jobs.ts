import type { Receipt, TaskStatus, TaskUpdate } from 'polygate';
import { signal } from '@preact/signals';

import { announce } from './announce.ts';
import { gateway } from './client.ts';
import { submit } from './order.ts';
import type { Order } from './order.ts';
import { problemOf } from './problem.ts';
import type { Problem } from './problem.ts';

/** An order and what came of it so far. */
export interface Job {
  /** Its idempotency key. */
  id: string;
  order: Order;
  /** Unix milliseconds. */
  at: number;
  state: 'sending' | TaskStatus | 'stuck';
  progress: number;
  urls: readonly string[];
  /** The way back to the task, in any process and on any day. */
  receipt?: Receipt | undefined;
  costUsd?: number | undefined;
  /** Whether a lost answer was found again by the key, for nothing. */
  replayed?: boolean | undefined;
  /** Why the last poll failed; the wait goes on. */
  trouble?: string | undefined;
  problem?: Problem | undefined;
}

/** Everything that was ordered, the newest first. */
export const jobs = signal<readonly Job[]>([]);

/** Orders something. The key is made before anything is sent, so that nothing can happen without it. */
export function order(what: Order): void {
  const id = `page-${crypto.randomUUID()}`;
  const job: Job = { id, order: what, at: Date.now(), state: 'sending', progress: 0, urls: [] };
  jobs.value = [job, ...jobs.value];
  void run(job);
}

/** Goes on with an order: by its receipt if there is one, else by submitting it again with the same key. */
export async function run(job: Job): Promise<void> {
  const { id, receipt } = job;
  if (receipt === undefined) change(id, { state: 'sending', problem: undefined });
  else change(id, { state: 'running', problem: undefined });
  try {
    const task = receipt === undefined ? await submit(job.order, id) : gateway.resume(receipt);
    const { status: state = 'running', progress = job.progress } = task.latest ?? {};
    const costUsd = task.chargeUsd ?? job.costUsd;
    change(id, { state, progress, costUsd, receipt: task.toJSON() });
    if (task.meta?.idempotentReplay === true) change(id, { replayed: true });
    for await (const update of task.updates()) follow(id, update);
  } catch (error) {
    const problem = problemOf(error);
    change(id, { state: 'stuck', problem });
    announce(`${job.order.kind}: ${problem.name}`);
  }
}

/** Takes an order out of sight. What was submitted goes on at the gateway. */
export function drop(id: string): void {
  jobs.value = jobs.value.filter((job) => job.id !== id);
}

function follow(id: string, update: TaskUpdate): void {
  const { status: state, progress = 0, urls, error, pollError } = update;
  const problem = error && { name: 'TaskFailedError', message: error.message };
  const trouble = pollError && problemOf(pollError).name;
  change(id, { state, progress: state === 'succeeded' ? 100 : progress, urls, problem, trouble });
  if (state === 'succeeded') announce(`The ${update.kind} is ready.`);
  if (state === 'failed') announce(`The ${update.kind} failed, and its price came back.`);
}

function change(id: string, changes: Partial<Job>): void {
  jobs.value = jobs.value.map((job) => (job.id === id ? { ...job, ...changes } : job));
}
