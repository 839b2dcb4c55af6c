import type { Material } from '../wire/types/media/materials.ts';
import type { TaskHandle } from '../wire/types/tasks/task-handle.ts';
import type { Generation } from '../wire/types/tasks/task.ts';
import { PolygateError } from './base.ts';
import type { ErrorReason } from './base.ts';

/** The task failed. `generation.error` holds the reason. */
export class TaskFailedError extends PolygateError {
  static override readonly className: string = 'TaskFailedError';
  static override readonly reason: ErrorReason = 'failed';

  /** Handle of the task. */
  declare readonly task: TaskHandle;
  /** Final state of the failed task. */
  declare readonly generation: Generation;
}

/** The task did not finish within `waitTimeout`. It is still processing: call `task.wait()` again. */
export class TaskWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'TaskWaitTimeoutError';
  static override readonly reason: ErrorReason = 'timeout';

  /** Handle of the task. */
  declare readonly task: TaskHandle;
  /** Last known state of the task. Absent if no poll succeeded. */
  declare readonly generation?: Generation;
}

/**
 * The material reached a failure status or was deleted, so it will not become available. To try again, create a new
 * material with a new idempotency key.
 */
export class MaterialFailedError extends PolygateError {
  static override readonly className: string = 'MaterialFailedError';
  static override readonly reason: ErrorReason = 'failed';

  /** Last known state of the material. */
  declare readonly material: Material;
}

/** The material was not available within `waitTimeout`. Processing continues: call `materials.wait(id)` again. */
export class MaterialWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'MaterialWaitTimeoutError';
  static override readonly reason: ErrorReason = 'timeout';

  /** Last known state of the material. Absent if no poll succeeded. */
  declare readonly material?: Material;
}
