/** The message and the code of an error body, in any envelope that the client reads. */
export { parseErrorBody } from '../core/http/error-body.ts';
