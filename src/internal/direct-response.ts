/** A response that the client reads without `Headers` and a web stream. */
export { direct } from '../client/http/response-body.ts';
export type { BodyReader, DirectResponse } from '../client/http/response-body.ts';
