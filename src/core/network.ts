import type { Outcome } from '../errors/base.ts';
import { isRecord } from '../schemas/record.ts';

/** Failures that happen before a byte of the request can have left: no address, or nobody listening. */
const unsentCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** Whether the service may have seen a request that ended with this error of `fetch`. */
export function networkOutcome(error: unknown): Outcome {
  return networkCodes(error).some((code) => unsentCodes.has(code)) ? 'not-sent' : 'unknown';
}

/** A few words about what went wrong on the way, without anything of the request. */
export function networkReason(error: unknown): string {
  const [code] = networkCodes(error);
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : 'no reason given';
}

/** The codes of an error and of what caused it. */
function networkCodes(error: unknown): unknown[] {
  const codes: unknown[] = [];
  let at = error;
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    if ('code' in at && at.code !== undefined) codes.push(at.code);
    at = 'cause' in at ? at.cause : undefined;
  }
  return codes;
}

/** An error of `fetch` without what it may hold of the request. */
export function plainCause(error: unknown): unknown {
  if (!(error instanceof Error) && !isRecord(error)) return error;
  const plain = new Error(networkReason(error));
  plain.name = 'NetworkError';
  return plain;
}
