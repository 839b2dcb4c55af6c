import type { TaskKind } from '../../wire/types/tasks/task.ts';
import type { Ledger } from '../account/ledger.ts';
import type { MockAssumptions } from '../options.ts';
import type { Task, User } from '../state.ts';

/** The tasks of all users. */
export class TaskStore {
  readonly #byId = new Map<string, Task>();
  readonly #pending = new Set<Task>();
  readonly #ledger: Ledger;
  readonly #assumptions: MockAssumptions;
  readonly #history: number;
  /** Total number of tasks submitted. */
  submitted = 0;

  constructor(ledger: Ledger, assumptions: MockAssumptions, history: number) {
    this.#ledger = ledger;
    this.#assumptions = assumptions;
    this.#history = history;
  }

  get all(): Iterable<Task> {
    return this.#byId.values();
  }

  /** Number of tasks that have not ended. */
  get pending(): number {
    return this.#pending.size;
  }

  add(task: Task): void {
    this.submitted += 1;
    this.restore(task, true);
    if (this.#byId.size > this.#history) this.#dropOldestEnded();
  }

  /** Adds a task of an earlier gateway. */
  restore(task: Task, pending: boolean): void {
    this.#byId.set(task.id, task);
    if (!pending) return;
    this.#pending.add(task);
    task.user.pendingTasks.add(task);
  }

  /** Whether the task has not ended. */
  isPending(task: Task): boolean {
    return this.#pending.has(task);
  }

  byId(id: string): Task | undefined {
    return this.#byId.get(id);
  }

  /** Finds a task of the given kind; undefined if it belongs to another user. */
  find(user: User, kind: TaskKind, id: string): Task | undefined {
    const task = this.#byId.get(id);
    return task?.user === user && task.kind === kind ? task : undefined;
  }

  /** Returns the number of slots that the user's pending tasks hold. Assumption A14. */
  heldSlots(user: User): number {
    return this.#assumptions.A14 === 'task' ? user.pendingTasks.size : 0;
  }

  /** Ends the tasks that are due, and refunds the tasks that failed. Assumption A15. */
  sweep(now: number): void {
    for (const task of this.#pending) {
      if (now < task.endsAt) continue;
      this.#pending.delete(task);
      task.user.pendingTasks.delete(task);
      if (task.outcome === 'failed' && this.#assumptions.A15 === 'refund') {
        this.#ledger.refund(task);
      }
    }
  }

  #dropOldestEnded(): void {
    for (const [id, task] of this.#byId) {
      if (this.#pending.has(task)) continue;
      this.#byId.delete(id);
      return;
    }
  }
}

/** The status and progress of a task at a given time. */
export interface Phase {
  status: 'queued' | 'in_progress' | 'processing' | 'completed' | 'failed';
  rawStatus: 'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  percent: number;
}

/** The fraction of its duration after which a task leaves the queue. */
const queuedShare = 0.2;

/** The fraction of its duration after which the status changes from `in_progress` to `processing`. */
const processingShare = 0.8;

/** The phase of a task in its submit response. */
export const justSubmitted: Phase = { status: 'queued', rawStatus: 'SUBMITTED', percent: 0 };

/** Computes the phase of a task from the clock. */
export function phaseOf(task: Task, now: number): Phase {
  const elapsed = now - task.createdAt;
  const duration = task.endsAt - task.createdAt;
  if (now >= task.endsAt) {
    if (task.outcome === 'failed') return { status: 'failed', rawStatus: 'FAILURE', percent: 100 };
    return { status: 'completed', rawStatus: 'SUCCESS', percent: 100 };
  }
  if (elapsed < duration * queuedShare) return justSubmitted;
  const percent = Math.max(1, Math.min(99, Math.floor((elapsed / duration) * 100)));
  const status = elapsed < duration * processingShare ? 'in_progress' : 'processing';
  return { status, rawStatus: 'IN_PROGRESS', percent };
}
