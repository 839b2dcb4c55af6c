/** A response that the client reads without `Headers` and a web stream. */
export { direct } from '../core/http/direct-response.ts';
export type { BodyReader, DirectResponse } from '../core/http/direct-response.ts';
