/** For libraries that send through `gateway.fetch`: the headers that it replaces, the keys in them, and what it knows about a response. */
export { detailsOf } from '../client/fetch/response-details.ts';
export type { ResponseDetails } from '../client/fetch/response-details.ts';
export { ownHeaders, sentKeys } from '../client/http/request-headers.ts';
