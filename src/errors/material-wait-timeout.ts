import type { Material } from '../schemas/materials.ts';
import { PolygateError } from './base.ts';

/** `waitTimeout` is over and the material is not available. It goes on: wait for its id again. */
export class MaterialWaitTimeoutError extends PolygateError {
  static override readonly className: string = 'MaterialWaitTimeoutError';

  /** The material as last seen; absent when no poll was answered. */
  declare readonly material?: Material;
}
