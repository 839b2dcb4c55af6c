/** What an error response reveals about the request: rejected, or possibly executed and charged. */
export { outcomeOf } from '../core/call/failure/outcome.ts';
