import { isRecord } from './body.ts';
import { Refusal } from './refusal.ts';

/** Failures that happen before a byte of the request can have left: no address, or nobody listening. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/**
 * Sends a request to the gateway once. A redirect is no answer: whoever followed it would take the key along. What
 * never arrived is a 503, which is safe to ask again; what may have arrived is a 502.
 */
export async function reach(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  report: (words: string) => void,
): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { ...init, redirect: 'manual', ...noStore() });
  } catch (error) {
    const { words, code } = innermost(error);
    // A page that has left broke the connection itself.
    if (init.signal?.aborted !== true) report(`The gateway cannot be reached: ${words}`);
    if (unsent.test(code)) {
      throw new Refusal(503, 'service_unavailable', 'The gateway cannot be reached.');
    }
    throw new Refusal(502, 'bad_gateway', 'The connection to the gateway broke.');
  }
  if (answer.status >= 200 && (answer.status < 300 || answer.status > 399)) return answer;
  answer.body?.cancel().catch(() => {});
  report('The gateway answered with a redirect, which is never followed: check baseURL.');
  throw new Refusal(502, 'bad_gateway', 'The gateway answered with a redirect.');
}

/** Some frameworks keep answers to GET; a task that is asked for again must not come from there. Workers refuse it. */
function noStore(): RequestInit {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers' ? {} : { cache: 'no-store' };
}

/** What an error of `fetch` says, without anything of the request that it may hold. */
function innermost(error: unknown): { words: string; code: string } {
  let words = 'no reason given';
  let code = '';
  let link = error;
  for (let depth = 0; depth < 5 && isRecord(link); depth += 1) {
    if (typeof link.message === 'string' && link.message !== '') words = link.message;
    if (typeof link.code === 'string') code = link.code;
    link = link.cause;
  }
  return { words, code };
}
