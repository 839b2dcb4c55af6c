import { APIError } from './api.ts';

/** 403: the API key is disabled, invalid or not allowed to do this. */
export class PermissionDeniedError extends APIError {
  static override readonly className: string = 'PermissionDeniedError';
}
