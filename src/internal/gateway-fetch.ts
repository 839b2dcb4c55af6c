/** For libraries that send through `gateway.fetch`: the headers that it replaces, and what it knows about a response. */
export { fetchedResponse } from '../core/fetch/gateway-fetch.ts';
export type { FetchedResponse } from '../core/fetch/gateway-fetch.ts';
export { ownHeaders } from '../core/http/request-headers.ts';
