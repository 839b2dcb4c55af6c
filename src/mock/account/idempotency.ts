import type { RequestContext } from '../http/request-context.ts';
import { hash } from '../random.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import type { IdempotencyRecord } from './state.ts';

const visibleAscii = /^[!-~]{1,200}$/;

/** The optional key of a generation. Specification: Common to all generation POST operations. */
export function generationKey(call: RequestContext): string | undefined {
  return checked(call.headers.get('x-idempotency-key') ?? undefined, 'x-idempotency-key');
}

/** The required key of a material. Specification: Materials; Limits. */
export function materialKey(call: RequestContext): string {
  const key = checked(call.headers.get('idempotency-key') ?? undefined, 'Idempotency-Key');
  if (key !== undefined) return key;
  throw new GatewayError(400, 'invalid_idempotency_key', 'The header Idempotency-Key is required');
}

function checked(key: string | undefined, header: string): string | undefined {
  if (key === undefined || visibleAscii.test(key)) return key;
  const rule = 'must be 1 to 200 visible ASCII characters without spaces';
  throw new GatewayError(400, 'invalid_idempotency_key', `The header ${header} ${rule}`);
}

/** Keeps what a key led to; the oldest key is forgotten once there are more than the history holds. */
export function remember(call: RequestContext, scope: string, submit: IdempotencyRecord): void {
  const { idempotencyRecords: submits } = call.user;
  submits.set(scope, submit);
  const [oldest] = submits.keys();
  const full = submits.size > call.services.settings.history;
  if (full && oldest !== undefined) submits.delete(oldest);
}

/** The same for two bodies that say the same, in whatever order of fields. */
export function fingerprint(body: unknown): string {
  const text = JSON.stringify(body, sorted) ?? '';
  return `${hash(text)}-${hash(`#${text}`)}-${text.length}`;
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
