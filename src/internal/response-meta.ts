/** What the headers of a response say about the request: its charge, its task and its id. */
export { emptyMeta, parseResponseMeta } from '../core/http/response-meta.ts';
export type { ResponseMeta } from '../types/meta.ts';
export { reportedCharge } from '../core/limits/reported-charge.ts';
export { isInvalidRequest } from '../core/limits/invalid-request.ts';
