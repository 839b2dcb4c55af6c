/** For libraries that send through `gateway.fetch`: the headers that it replaces, the keys in them, and what it knows about a response. */
export { detailsOf } from '../core/fetch/response-details.ts';
export type { ResponseDetails } from '../core/fetch/response-details.ts';
export { ownHeaders, sentKeys } from '../core/http/request-headers.ts';
