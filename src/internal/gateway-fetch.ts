/** For libraries that send through `gateway.fetch`: the headers that it replaces, and what it knows about a response. */
export { detailsOf } from '../core/fetch/response-details.ts';
export type { ResponseDetails } from '../core/fetch/response-details.ts';
export { ownHeaders } from '../core/http/request-headers.ts';
