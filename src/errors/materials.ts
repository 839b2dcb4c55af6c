import type { Material } from '../schemas/materials.ts';
import { PolygateError } from './base.ts';

/** The material will not become available: its status is a failure, or it is deleted. Create it anew with a new key. */
export class MaterialFailedError extends PolygateError {
  static override readonly className: string = 'MaterialFailedError';

  /** The material as last seen. */
  declare readonly material: Material;
}

/** `waitTimeout` is over and the material is not available. It goes on: wait for its id again. */
export class MaterialWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'MaterialWaitTimeoutError';

  /** The material as last seen; absent when no poll was answered. */
  declare readonly material?: Material;
}
