import type { Material } from '../wire/types/media/materials.ts';
import type { TaskHandle } from '../wire/types/tasks/task-handle.ts';
import type { Generation } from '../wire/types/tasks/task.ts';
import { PolygateError } from './base.ts';

/** The task failed. `generation.error` holds the reason. */
export class TaskFailedError extends PolygateError {
  static override readonly className: string = 'TaskFailedError';

  /** Handle of the task. */
  declare readonly task: TaskHandle;
  /** Final state of the failed task. */
  declare readonly generation: Generation;
}

/** The task did not finish within `waitTimeout`. It is still processing: call `task.wait()` again. */
export class TaskWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'TaskWaitTimeoutError';

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

  /** Last known state of the material. */
  declare readonly material: Material;
}

/** The material was not available within `waitTimeout`. Processing continues: call `materials.wait(id)` again. */
export class MaterialWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'MaterialWaitTimeoutError';

  /** Last known state of the material. Absent if no poll succeeded. */
  declare readonly material?: Material;
}
