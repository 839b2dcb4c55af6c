import { isUnpaid, verdictOf } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/**
 * What is recorded about one paid request, which survives its process. A driver keeps it in its own format: a line of a
 * journal, a file, an entry of a browser. Nothing recorded is an empty record.
 */
export interface Life {
  /** Submissions that may have been charged, and whose response is not recorded. Each process takes back only its own. */
  readonly open?: number | undefined;
  /** Identifies the params of the last submission; undefined if they are not known, as after a damaged line. */
  readonly fingerprint?: string | undefined;
  /** Whether requests with different params may have been charged, so that it is not known which of them is the receipt's. */
  readonly isContested?: boolean | undefined;
  /** What proves that the service has accepted it: the receipt of the task. */
  readonly receipt?: unknown;
  /** How it has ended, once that is known. */
  readonly end?: unknown;
}

/**
 * The record after one more event. A request is recorded as `sent` before it is sent, in every driver. The verdict `none`
 * takes back one submission, because its response proves that it was not charged, and says nothing about earlier ones. `void`
 * takes back all with the same params. Two processes that begin at the same moment may record different ones.
 */
export function fold<Known extends Life>(
  life: Known,
  event:
    | { readonly sent: string }
    | Pick<Verdict, 'money'>
    | Pick<Life, 'receipt'>
    | Pick<Life, 'end'>,
): Known {
  const { open = 0, fingerprint, isContested } = life;
  if ('sent' in event) {
    const isOther = isContested || (fingerprint ?? event.sent) !== event.sent;
    const contested = (mayBeCharged(life) && isOther) || undefined;
    return { ...life, open: open + 1, fingerprint: event.sent, isContested: contested };
  }
  if (!('money' in event)) return { ...life, ...event };
  if (event.money === 'void' && !isContested) return { ...life, open: 0 };
  // The line of the submission that was refused may be damaged. Later ones still count.
  return isUnpaid(event) ? { ...life, open: Math.max(0, open - 1) } : life;
}

/** Whether the request may have been paid for. Then it must never be sent under another key. */
export const mayBeCharged = ({ open, receipt }: Life): boolean => Boolean(open || receipt);

/** What is to happen now. */
export interface Intent {
  /** Identifies the params of a new request; undefined to continue what is recorded. */
  readonly fingerprint?: string | undefined;
  /** Whether what is recorded can be sent again, because its params are known. */
  readonly hasParams?: boolean | undefined;
  /** Whether the caller has given up what is recorded. */
  readonly isForced?: boolean | undefined;
}

/** What a driver does next. */
export type LifeStep =
  /** Under a new key, unless a refused request is repeated. */
  | 'send'
  /** Under the recorded key. */
  | 'resend'
  /** For the task. An expired result is polled again. */
  | 'wait'
  /** Nothing: the result is recorded. */
  | 'done'
  /** Refuse: the chat may have been charged, and only its caller can send it again. */
  | 'chat_lost'
  /** Refuse: a request with other params may have been charged. */
  | 'outcome_unknown'
  /** Refuse: the task in this place has not ended. */
  | 'generation_pending'
  /** Refuse: what may have been charged can be sent again only with its params. */
  | 'params_not_stored'
  /** Refuse: there is nothing to continue. */
  | 'nothing_to_resume';

/**
 * Decides how a task continues, which its key protects from a second charge. `test/paid/life.test.ts` has the whole table, also
 * for the policy of chats. The policy says what a driver keeps apart:
 *
 * - `key`: a key stands for one task for ever, so that the same params always return its result. For batches, queues, the
 *   command line and the MCP server.
 * - `place`: a place on a page shows one task after the other, and the user decides when the next one begins. For React.
 */
export function next(
  life: Life,
  { fingerprint, hasParams, isForced }: Intent,
  policy: 'key' | 'place',
): LifeStep {
  const isPlace = policy === 'place';
  const { receipt, end } = life;
  if (!mayBeCharged(life) || (isPlace && end)) return fingerprint ? 'send' : 'nothing_to_resume';
  if (isPlace && receipt && fingerprint) return isForced ? 'send' : 'generation_pending';
  if (life.isContested && (fingerprint || !receipt)) return 'outcome_unknown';
  if (fingerprint && life.fingerprint && fingerprint !== life.fingerprint) return 'outcome_unknown';
  if (receipt) return 'wait';
  return fingerprint || hasParams ? 'resend' : 'params_not_stored';
}

/**
 * The policy of chats: no key protects a chat from a second charge, so one that may have been charged is never sent again by
 * itself, but only if its caller accepts that. Its result is in the record. For batches and queues.
 */
export function nextChat(life: Life, intent: Intent): LifeStep {
  const step = next(life, intent, 'key');
  if (step === 'wait') return 'done';
  if (step !== 'resend' && step !== 'params_not_stored') return step;
  if (!intent.isForced) return 'chat_lost';
  return step === 'resend' ? 'send' : step;
}

/** The verdict about a submission that has a task, whatever the status of the response that named it. */
export const verdictOfTask = (task: {
  readonly chargeUsd: number | undefined;
  readonly replayed: boolean;
}): Verdict =>
  verdictOf({ status: 200, chargeUsd: task.chargeUsd, idempotentReplay: task.replayed });
