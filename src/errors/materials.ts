import type { Material } from '../wire/types/media/materials.ts';
import { PolygateError } from './base.ts';

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
