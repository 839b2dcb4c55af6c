/** The message and the code of an error body, in any envelope that the client reads. */
export { parseErrorBody } from '../core/http/error-body.ts';
/** Whether an error code is about a task, so that the path of the poll exists. */
export { isTaskCode } from '../core/tasks/poll-paths.ts';
