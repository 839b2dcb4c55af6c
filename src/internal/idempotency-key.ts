/** A random key, which differs from all others. */
export { newIdempotencyKey } from '../client/http/request-headers.ts';
