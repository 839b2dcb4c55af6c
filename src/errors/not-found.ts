import { APIError } from './api.ts';

/** 404: no such model, task, material or path, or it belongs to somebody else. */
export class NotFoundError extends APIError {
  static override readonly className: string = 'NotFoundError';
}
