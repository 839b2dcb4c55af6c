/** What an error response reveals about the request: rejected, or possibly executed and charged. */
export { outcomeOf, outcomeOfError, outcomeOfUnread } from '../core/call/failure/outcome.ts';
/** Reads the body of an error response up to the limit after which the client counts it as unread. */
export { readErrorText } from '../core/http/response-body.ts';
