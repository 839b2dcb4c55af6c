/** What an error response reveals about the request: rejected, or possibly carried out and charged. */
export { outcomeOf, outcomeOfError, outcomeOfUnread } from '../client/call/outcome.ts';
/** Whether an error response proves that no request with this body was ever charged. */
export { isInvalidRequest } from '../client/limits/budget.ts';
/** Parses the text of an error body, which `outcomeOfError` expects as JSON if it is JSON, and what is replaced in a request. */
export { parseJson, withoutHalfPairs } from '../client/http/json.ts';
/** The message and the code of an error body, in any envelope that the client reads. */
export { parseErrorBody } from '../client/http/error-body.ts';
/** Reads the body of an error response up to the limit after which the client counts it as unread. */
export { readErrorText } from '../client/http/response-body.ts';
