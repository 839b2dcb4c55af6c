import { PolygateError } from './base.ts';

/** Something in the caller's code or environment must change. Thrown before a byte is sent. */
export class ConfigurationError extends PolygateError {
  static override readonly className: string = 'ConfigurationError';
}
