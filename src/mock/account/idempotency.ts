import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { hash } from '../random.ts';
import type { IdempotencyRecord } from './state.ts';

const visibleAscii = /^[!-~]{1,200}$/;

/** The optional key of a generation. Specification: Common to all generation POST operations. */
export function generationKey(call: RequestContext): string | undefined {
  return checkKey(call.headers.get('x-idempotency-key') ?? undefined, 'x-idempotency-key');
}

/** The required key of a material. Specification: Materials; Limits. */
export function materialKey(call: RequestContext): string {
  const key = checkKey(call.headers.get('idempotency-key') ?? undefined, 'Idempotency-Key');
  if (key !== undefined) return key;
  throw new GatewayError(400, 'invalid_idempotency_key', 'The header Idempotency-Key is required');
}

function checkKey(key: string | undefined, header: string): string | undefined {
  if (key === undefined || visibleAscii.test(key)) return key;
  const rule = 'must be 1 to 200 visible ASCII characters without spaces';
  throw new GatewayError(400, 'invalid_idempotency_key', `The header ${header} ${rule}`);
}

/** Stores the result of a keyed request. Drops the oldest one if there are more than `history`. */
export function remember(call: RequestContext, scope: string, record: IdempotencyRecord): void {
  const { idempotencyRecords } = call.user;
  idempotencyRecords.set(scope, record);
  const [oldest] = idempotencyRecords.keys();
  const isFull = idempotencyRecords.size > call.services.settings.history;
  if (isFull && oldest !== undefined) idempotencyRecords.delete(oldest);
}

/** A fingerprint that is the same for equal bodies, regardless of the order of their fields. */
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
