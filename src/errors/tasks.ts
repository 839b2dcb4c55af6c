import type { TaskHandle } from '../schemas/task-handle.ts';
import type { Generation } from '../schemas/task.ts';
import { PolygateError } from './base.ts';

/** The task ended without a result; `generation.error` says why. */
export class TaskFailedError extends PolygateError {
  static override readonly className: string = 'TaskFailedError';

  declare readonly task: TaskHandle;
  /** The failed task as last seen. */
  declare readonly generation: Generation;
}

/** `waitTimeout` is over and the task is not. It goes on and is paid: wait for `task` again. */
export class TaskWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'TaskWaitTimeoutError';

  declare readonly task: TaskHandle;
  /** The task as last seen. */
  declare readonly generation?: Generation;
}
