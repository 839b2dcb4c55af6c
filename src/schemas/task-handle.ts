import type { Generation, Receipt, TaskKind } from './task.ts';

/** How to wait for a task. */
export interface WaitOptions<Update = TaskUpdate> {
  /**
   * First pause between two polls, ms.
   * @defaultValue 2 000 (materials: 3 000)
   */
  pollInterval?: number | undefined;
  /**
   * Longest pause between two polls, ms; pauses grow towards it.
   * @defaultValue 5 000
   */
  maxPollInterval?: number | undefined;
  /**
   * When to stop waiting, ms from now. The task goes on.
   * @defaultValue 1 800 000
   */
  waitTimeout?: number | undefined;
  /** Stops the wait at once. It never cancels the task. */
  signal?: AbortSignal | undefined;
  /** Called after every poll. What it throws is logged and never breaks the wait. */
  onUpdate?: ((update: Update) => void) | undefined;
}

/** A task as of one poll. */
export type TaskUpdate<Kind extends TaskKind = TaskKind> = Generation<Kind> & {
  /** Why this poll failed, when it did; the rest is then as of the poll before. The wait goes on. */
  pollError?: Error | undefined;
};

/** A submitted task: what an error hands back so that nothing paid is lost. */
export interface TaskHandle<Kind extends TaskKind = TaskKind> {
  /** Task id. */
  readonly id: string;
  /** What the task makes. */
  readonly kind: Kind;
  /** The key that the task was submitted with; absent when only the id is known. */
  readonly idempotencyKey?: string | undefined;
  /** What is known of it so far. */
  readonly latest?: Generation<Kind> | undefined;
  /** Waits until the task has succeeded. */
  wait(options?: WaitOptions<TaskUpdate<Kind>>): Promise<Generation<Kind>>;
  /** Every poll until the task is over, the last one included. */
  updates(
    options?: Omit<WaitOptions<TaskUpdate<Kind>>, 'onUpdate'>,
  ): AsyncGenerator<TaskUpdate<Kind>, void, undefined>;
  /** One poll. */
  retrieve(): Promise<Generation<Kind>>;
  /** The receipt: plain JSON for another process or another day. */
  toJSON(): Receipt<Kind>;
}
