import { codeIs } from '../wire/codes.ts';
import type { ResponseMeta } from '../wire/types/meta.ts';
import { isRecord } from '../wire/types/type-guards.ts';
import { reasonOf } from './reason.ts';
import type { ErrorReason } from './reason.ts';

/**
 * Whether the request may have been charged:
 *
 * - `rejected`: the service rejected the request, so nothing was charged.
 * - `not-sent`: the request never reached the service, so nothing was charged.
 * - `unknown`: the request may have been charged. For tasks and materials, retry with the same idempotency key. Chat
 *   requests and voices may be charged again. A download is never charged: it only did not finish.
 *
 * If a poll failed, it describes only the poll. The `task` of the error was paid for.
 */
export type Outcome = 'rejected' | 'not-sent' | 'unknown';

/**
 * What the response to an attempt says about money. It is made once, next to the response, and everything that decides about
 * money reads it, so that no fact is judged differently in two places:
 *
 * - `charged`: the service has reported the charge `usd`, in USD.
 * - `accepted`: the request has succeeded, and nothing reports what it has cost, so an estimate counts.
 * - `unknown`: it may have been carried out and charged.
 * - `none`: it was not charged. That says nothing about earlier requests with its key.
 * - `void`: neither it nor an earlier request with the same key and the same body was charged.
 */
export type Verdict = {
  /** Whether the service has returned the response to an earlier request with this key. */
  readonly replay: boolean;
  /** Why it has failed; undefined after a success. */
  readonly reason?: ErrorReason | undefined;
} & (
  | { readonly money: 'charged'; readonly usd: number }
  | { readonly money: 'accepted' | 'unknown' | 'none' | 'void' }
);

/** What is known about the content of an error response. Its `body` is undefined if it could not be read. */
export interface ErrorContent {
  readonly code?: string | undefined;
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body?: unknown;
}

/**
 * The verdict about a response. `content` is that of an error. A service may charge without reporting it, so a success without
 * a charge is `accepted`. A replay that costs nothing says nothing about the request that it repeats.
 */
export function verdictOf(
  {
    status,
    chargeUsd,
    idempotentReplay: replay,
  }: Pick<ResponseMeta, 'status' | 'chargeUsd' | 'idempotentReplay'>,
  content: ErrorContent = {},
): Verdict {
  const isSuccess = status > 199 && status < 300;
  const reason = isSuccess ? undefined : reasonOf(status, content.code);
  // A charge of 0 says something only about a request that was carried out now: a replay says nothing about the original.
  const usd = isSuccess && !replay ? chargeUsd : chargeUsd || undefined;
  if (usd !== undefined) return { money: 'charged', usd, replay, reason };
  return { money: isSuccess ? 'accepted' : moneyOfError(status, content), replay, reason };
}

/** Specification: Errors, Codes. */
function moneyOfError(status: number, { code, body }: ErrorContent): 'unknown' | 'none' | 'void' {
  // JSON that is cut off counts as unread: nothing reports that a connection was lost if the length of the body was not
  // announced. Then, no code explains a 409, which `attempt_repeated` of the proxy has, and a 503.
  const isUnread = body === undefined || (typeof body === 'string' && /^\s*[[{]/.test(body));
  const isOpen = isUnread ? status === 409 || status === 503 : codeIs(code, 'uncertain');
  // A 303 says that the request was processed. Browsers report any redirect as 0.
  if (isOpen || [0, 303, 408].includes(status) || (status > 499 && status !== 503)) {
    return 'unknown';
  }
  // Only in the service's own envelope: an ingress or a load balancer knows nothing about earlier requests.
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const isInvalid = (status === 400 || status === 422) && error.code === code;
  return isInvalid && codeIs(code, 'void') ? 'void' : 'none';
}

/** Whether a verdict says that the request was not charged. */
export const isUnpaid = ({ money }: Pick<Verdict, 'money'>): boolean =>
  money === 'none' || money === 'void';

/** The outcome of an attempt that has failed with this verdict. */
export const outcomeOf = (verdict: Pick<Verdict, 'money'>): Outcome =>
  isUnpaid(verdict) ? 'rejected' : 'unknown';

/**
 * The outcome of a call, given that of the attempts so far and that of the last one. Once an attempt may have been
 * charged, so may the call; and a request that was once rejected has reached the service.
 */
export function combineOutcomes(previous: Outcome, last: Outcome): Outcome {
  return previous === 'unknown' || last === 'not-sent' ? previous : last;
}
