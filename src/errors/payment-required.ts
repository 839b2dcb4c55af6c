import { APIError } from './api.ts';

/** 402: the wallet cannot pay for this. Nothing was charged; top up, then ask again. */
export class PaymentRequiredError extends APIError {
  static override readonly className: string = 'PaymentRequiredError';
}
