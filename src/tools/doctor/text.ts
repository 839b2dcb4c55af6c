import { newIdempotencyKey } from '../../internal.ts';
import { formatUsd } from '../money.ts';

/**
 * The longest text that a finding has. What the service writes is shortened before: no sentence about a charge, which
 * follows it, is cut off.
 */
const maxLength = 3000;

/** The longest name that a list contains. */
const maxNameLength = 100;

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
  return shorten(line, maxLength);
}

/** At most the first `limit` characters of a text. */
export function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** What a response reports as its charge. A charge of 0 does not prove that the request was free. */
export function chargeText(chargeUsd: number | undefined): string {
  return chargeUsd ? formatUsd(chargeUsd) : 'an unknown amount';
}

/** Lists up to `limit` names. */
export function list(names: readonly string[], limit = 6): string {
  const shown = names
    .slice(0, limit)
    .map((name) => shorten(name, maxNameLength))
    .join(', ');
  return names.length > limit ? `${shown} and ${names.length - limit} more` : shown;
}

/** A random text that identifies a request of the diagnosis. */
export const randomId = (): string => `polygate-doctor-${newIdempotencyKey()}`;
