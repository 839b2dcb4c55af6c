import { ServerError } from './server.ts';

/** 503: the service is not available for now. Nothing was charged. */
export class ServiceUnavailableError extends ServerError {
  static override readonly className: string = 'ServiceUnavailableError';
}
