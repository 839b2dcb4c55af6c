/** What a process of a scenario is told. */
export interface ProcessSettings {
  readonly role: 'work' | 'read';
  /** Name of the queue. */
  readonly name: string;
  /** Name of the process, which its requests carry. */
  readonly worker: string;
  readonly apiKey: string;
  readonly baseURL: string;
  /** URL of Redis. */
  readonly redis: string;
  readonly concurrency: number;
  readonly maxUsd?: number | undefined;
  /** Where the process kills itself: before or after its nth submission. */
  readonly kill?: KillPoint | undefined;
}

/** A submission at which a process kills itself. */
export interface KillPoint {
  readonly at: 'before' | 'after';
  readonly post: number;
}

/** What a test decides about a process. */
export interface WorkerOptions {
  readonly concurrency?: number;
  readonly maxUsd?: number | undefined;
  readonly kill?: KillPoint | undefined;
  /** How far its clock is ahead, in ms. */
  readonly skewMs?: number;
}
