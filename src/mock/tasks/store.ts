import type { TaskKind } from '../../schemas/task.ts';
import type { MockAssumptions } from '../assumptions.ts';
import type { Ledger } from '../account/ledger.ts';
import type { Task, User } from '../account/state.ts';

/** Where a task stands at an instant. */
export interface Phase {
  status: 'queued' | 'in_progress' | 'processing' | 'completed' | 'failed';
  rawStatus: 'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  percent: number;
}

/** The share of its time that a task spends in the queue. */
const queuedShare = 0.2;

/** The share of its time after which the model is done and the files are made. */
const processingShare = 0.8;

/** Where a task stands follows from the clock alone. */
export function phaseOf(task: Task, now: number): Phase {
  const elapsed = now - task.createdAt;
  const duration = task.endsAt - task.createdAt;
  if (now >= task.endsAt) {
    if (task.outcome === 'failed') return { status: 'failed', rawStatus: 'FAILURE', percent: 100 };
    return { status: 'completed', rawStatus: 'SUCCESS', percent: 100 };
  }
  if (elapsed < duration * queuedShare) {
    return { status: 'queued', rawStatus: 'SUBMITTED', percent: 0 };
  }
  const percent = Math.max(1, Math.min(99, Math.floor((elapsed / duration) * 100)));
  const status = elapsed < duration * processingShare ? 'in_progress' : 'processing';
  return { status, rawStatus: 'IN_PROGRESS', percent };
}

/** All tasks of all users. */
export class TaskStore {
  readonly #byId = new Map<string, Task>();
  readonly #running = new Set<Task>();
  readonly #ledger: Ledger;
  readonly #assumptions: MockAssumptions;
  readonly #history: number;
  /** How many were ever submitted. */
  submitted = 0;

  constructor(ledger: Ledger, assumptions: MockAssumptions, history: number) {
    this.#ledger = ledger;
    this.#assumptions = assumptions;
    this.#history = history;
  }

  get all(): Iterable<Task> {
    return this.#byId.values();
  }

  get pending(): number {
    return this.#running.size;
  }

  add(task: Task): void {
    this.#byId.set(task.id, task);
    this.#running.add(task);
    task.user.pendingTasks.add(task);
    if (this.#byId.size > this.#history) this.#forgetOldest();
  }

  byId(id: string): Task | undefined {
    return this.#byId.get(id);
  }

  /** The task as its owner may see it; another user's is as good as unknown. */
  find(user: User, kind: TaskKind, id: string): Task | undefined {
    const task = this.#byId.get(id);
    return task?.user === user && task.kind === kind ? task : undefined;
  }

  /** Slots that a user's tasks hold besides the requests. Assumption A14. */
  heldSlots(user: User): number {
    return this.#assumptions.A14 === 'task' ? user.pendingTasks.size : 0;
  }

  /** Ends the tasks whose time has come, and refunds those that failed. Assumption A15. */
  sweep(now: number): void {
    for (const task of this.#running) {
      if (now < task.endsAt) continue;
      this.#running.delete(task);
      task.user.pendingTasks.delete(task);
      if (task.outcome === 'failed' && this.#assumptions.A15 === 'refund')
        this.#ledger.refund(task);
    }
  }

  #forgetOldest(): void {
    for (const [id, task] of this.#byId) {
      if (this.#running.has(task)) continue;
      this.#byId.delete(id);
      return;
    }
  }
}
