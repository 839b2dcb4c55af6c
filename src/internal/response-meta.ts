/** What the headers of a response say about the request: its charge, its task and its id. */
export { emptyMeta, parseResponseMeta } from '../client/http/response-meta.ts';
export type { ResponseMeta } from '../wire/types/meta.ts';
export { reportedCharge } from '../client/limits/budget.ts';
