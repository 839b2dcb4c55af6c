import { APIError } from './api.ts';

/** 401: the API key is missing or unknown. */
export class AuthenticationError extends APIError {
  static override readonly className: string = 'AuthenticationError';
}
