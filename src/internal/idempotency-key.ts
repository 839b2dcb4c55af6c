/** A random key, which differs from all others. */
export { newIdempotencyKey } from '../client/call/idempotency-key.ts';
