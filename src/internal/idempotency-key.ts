/** A random key, which differs from all others. */
export { newIdempotencyKey } from '../core/call/idempotency-key.ts';
