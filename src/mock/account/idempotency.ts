import type { RequestContext } from '../http/endpoint.ts';
import { GatewayError } from '../http/response.ts';
import { hash } from '../random.ts';
import type { IdempotencyRecord } from '../state.ts';

const visibleAscii = /^[!-~]{1,200}$/;

/**
 * The optional idempotency key of a generation request, what an earlier request of this kind with the same key has left, and a
 * function that stores what this one leaves. Specification: Common to all generation POST operations.
 */
export function keyedRequest(context: RequestContext, kind: string, body: unknown) {
  const key = checkKey(context.headers.get('x-idempotency-key') ?? undefined, 'x-idempotency-key');
  const scope = `${kind} ${key}`;
  return {
    key,
    earlier: key === undefined ? undefined : context.user.idempotencyRecords.get(scope),
    leave: (record: Omit<IdempotencyRecord, 'fingerprint'>) => {
      if (key !== undefined)
        remember(context, scope, { fingerprint: fingerprint(body), ...record });
    },
  };
}

/** Rejects a key of a generation that was used with another body. Assumption A13. */
export function rejectConflict(
  { services }: RequestContext,
  earlier: IdempotencyRecord,
  body: unknown,
): void {
  if (services.assumptions.A13 !== 'conflict' || earlier.fingerprint === fingerprint(body)) return;
  const message = 'This idempotency key was already used for a different request';
  throw new GatewayError(409, 'idempotency_conflict', message);
}

/** Returns the required idempotency key of a material request. Specification: Materials; Limits. */
export function materialKey(context: RequestContext): string {
  const key = checkKey(context.headers.get('idempotency-key') ?? undefined, 'Idempotency-Key');
  if (key !== undefined) return key;
  throw new GatewayError(400, 'invalid_idempotency_key', 'The Idempotency-Key header is required');
}

function checkKey(key: string | undefined, header: string): string | undefined {
  if (key === undefined || visibleAscii.test(key)) return key;
  const rule = 'must be 1 to 200 visible ASCII characters without spaces';
  throw new GatewayError(400, 'invalid_idempotency_key', `The ${header} header ${rule}`);
}

/**
 * Stores the result of a request with an idempotency key. Drops the oldest result if the user has
 * more than `history`.
 */
export function remember(context: RequestContext, scope: string, record: IdempotencyRecord): void {
  const { idempotencyRecords } = context.user;
  idempotencyRecords.set(scope, record);
  const [oldest] = idempotencyRecords.keys();
  const isFull = idempotencyRecords.size > context.services.settings.history;
  if (isFull && oldest !== undefined) idempotencyRecords.delete(oldest);
}

/** Returns a fingerprint that is the same for equal bodies, regardless of the order of their fields. */
export function fingerprint(body: unknown): string {
  const text = JSON.stringify(body, sortFields) ?? '';
  return `${hash(text)}-${hash(`#${text}`)}-${text.length}`;
}

function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([first], [second]) => (first < second ? -1 : 1)),
  );
}
