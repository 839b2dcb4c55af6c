import { PolygateError } from './base.ts';

/**
 * Invalid option, argument or environment: a missing API key, a malformed id, an unknown option. Thrown before anything
 * is sent.
 */
export class ConfigurationError extends PolygateError {
  static override readonly className: string = 'ConfigurationError';
}
