import { APIError } from './api.ts';

/** 500 and above: the service failed. After a paid request look at `outcome`. */
export class ServerError extends APIError {
  static override readonly className: string = 'ServerError';
}
