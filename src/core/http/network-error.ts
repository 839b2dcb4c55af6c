import type { ConnectionError } from '../../errors/connection.ts';
import { isRecord, textOf } from '../../types/type-guards.ts';
import { noReason } from './error-body.ts';

/**
 * Codes of errors that occur before the request is sent: DNS errors, connections that are refused or time out,
 * certificates that are not trusted, and proxies that open no tunnel.
 */
const unsentCodes =
  /(^EAI_AGAIN|^ERR_PROXY_TUNNEL|refused|ENOTFOUND|UNREACH|EADDRNOTAVAIL|_CONNECT_TIMEOUT)$|^(ERR_TLS_)?CERT_|^UNABLE_TO_|SELF_SIGNED/i;

/**
 * Messages of such errors that have no code of their own, as Node and undici word them. Browsers reveal nothing about
 * them.
 */
const unsentMessages =
  /^(bad port|unknown scheme|Proxy response .+ when HTTP Tunneling)$|before secure TLS connection/;

/** Whether the service may have received a request whose `fetch` rejected with this error. */
export function networkOutcome(error: unknown): ConnectionError['outcome'] {
  const chain = causeChain(error);
  // Such as `read EHOSTUNREACH`, which libraries quote in messages of their own: the connection was established.
  const isEstablished = chain.some(({ message }) => /\b(read|write) E[A-Z]/.test(message));
  const isUnsent = chain.some(
    ({ code, message }) => unsentCodes.test(code) || unsentMessages.test(message),
  );
  return isUnsent && !isEstablished ? 'not-sent' : 'unknown';
}

/**
 * The innermost message of an error that `fetch` rejected with. Reads only `message` and `code`, which reveal nothing
 * about the request.
 */
export function networkErrorMessage(error: unknown): string {
  const { message = noReason, code = '' } =
    causeChain(error).findLast((link) => link.message !== '') ?? {};
  return message.includes(code) ? message : `${message} (${code})`;
}

/** The texts of an error and its causes, outermost first. */
function causeChain(error: unknown, limit = 5): { message: string; code: string }[] {
  if (!isRecord(error) || limit === 0) return [];
  const { message, code, cause } = error;
  const texts = { message: textOf(message) ?? '', code: textOf(code) ?? '' };
  return [texts, ...causeChain(cause, limit - 1)];
}
