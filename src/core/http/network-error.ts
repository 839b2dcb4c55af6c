import type { Outcome } from '../../errors/base.ts';
import { textOf } from '../../schemas/record.ts';

/** Failures that happen before a byte of the request can have left: no address, or nobody listening. */
const unsent = /(^EAI_AGAIN|refused|ENOTFOUND|UNREACH|_CONNECT_TIMEOUT)$/i;

/** Whether the service may have seen a request that ended with this error of `fetch`. */
export function networkOutcome(error: unknown): Outcome {
  return chain(error).some(({ code }) => unsent.test(textOf(code) ?? '')) ? 'not-sent' : 'unknown';
}

/** A few words about what went wrong on the way, without anything of the request. */
export function networkErrorMessage(error: unknown): string {
  const { message, code } = chain(error).findLast((link) => textOf(link.message)) ?? {};
  const words = textOf(message) ?? 'no reason given';
  const reason = textOf(code) ?? '';
  return words.includes(reason) ? words : `${words} (${reason})`;
}

/** An error and what caused it, outermost first. */
function chain(error: unknown): { message?: unknown; code?: unknown }[] {
  const links: object[] = [];
  let link = error;
  while (typeof link === 'object' && link !== null && links.length < 5) {
    links.push(link);
    link = Reflect.get(link, 'cause');
  }
  return links;
}
