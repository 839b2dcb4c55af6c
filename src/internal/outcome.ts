/** What an error response reveals about the request: rejected, or possibly carried out and charged. */
export { outcomeOf } from '../core/call/failure/retry.ts';
