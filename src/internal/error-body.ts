/** The message and the code of an error body, in any envelope that the client reads. */
export { parseErrorBody } from '../client/http/error-body.ts';
/** Whether an error code is about a task, so that the path of the poll exists. */
export { isTaskCode } from '../client/tasks/task-polls.ts';
