import { newIdempotencyKey } from '../internal/idempotency-key.ts';

/** The longest text of the service that a finding repeats. */
const maxLength = 300;

/**
 * Makes a text that may come from the service safe to print: one line, without control characters that a terminal would
 * execute, and without anything that looks like an API key.
 */
export function plainText(text: string): string {
  const line = text
    .replaceAll(/\p{C}+/gu, ' ')
    .replaceAll(/sk-\S{6,}/g, '(the API key)')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** An amount in USD with as many digits as it needs, and no exponent. */
export function usd(amount: number): string {
  const digits = { maximumFractionDigits: 9, useGrouping: false };
  return `${amount.toLocaleString('en', digits)} USD`;
}

/** Lists up to `limit` names. */
export function list(names: readonly string[], limit = 6): string {
  const shown = names.slice(0, limit).join(', ');
  return names.length > limit ? `${shown} and ${names.length - limit} more` : shown;
}

/** A random text that identifies a request of the diagnosis. */
export const randomId = (): string => `polygate-doctor-${newIdempotencyKey()}`;
