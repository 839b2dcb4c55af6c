import { unchecked } from '../wire/types/schema.ts';
import type { ErrorReason } from './reason.ts';
import { isUnpaid, verdictOf } from './verdict.ts';
import type { ErrorContent, Outcome, Verdict } from './verdict.ts';

/** What an error says about money: the verdict about the last response of its call, and the outcome of all attempts. */
interface FailedCall extends ErrorContent {
  readonly verdict?: Verdict;
  /** The response, from which the verdict follows if the error is not one of a call of this copy of the client. */
  readonly meta?: Parameters<typeof verdictOf>[0];
  readonly outcome?: Outcome;
  readonly reason?: ErrorReason;
  readonly name?: string;
  /** The models that were tried, if there is a fallback. */
  readonly attempts?: readonly unknown[];
}

/** Whether an error proves that no attempt of its call was charged. It may be that of another copy of the client. */
export function isUncharged(error: unknown): boolean {
  const { outcome, name } = unchecked<FailedCall>(Object(error));
  // Invalid params are found before anything is sent.
  return outcome ? outcome !== 'unknown' : name === 'ConfigurationError';
}

/**
 * The task that the error of a submission names, if it names one: it counts as accepted, although its response was lost or not
 * understood. A rejection can name the task of another body with the same key. Errors do not know the type of the task.
 */
export function namedTask(error: unknown): object | undefined {
  if (isUncharged(error)) return undefined;
  return unchecked<{ readonly task?: object }>(Object(error)).task;
}

/**
 * The verdict about all attempts of a failed call, from its error: that about the last response, unless an earlier attempt may
 * have been charged. An error that says nothing leaves it open, such as one that a callback has thrown.
 */
export function verdictOfError(error: unknown): Verdict {
  const failed = unchecked<FailedCall>(Object(error));
  const { meta, reason, attempts, verdict = meta && verdictOf(meta, failed) } = failed;
  const last: Verdict = verdict ?? { money: 'none', replay: false, reason };
  // With a fallback, requests to different models share the key but not the body.
  const known: Verdict = attempts && last.money === 'void' ? { ...last, money: 'none' } : last;
  if (isUnpaid(known) === isUncharged(error)) return known;
  return { ...known, money: isUnpaid(known) ? 'unknown' : 'none' };
}

/** Why an attempt was not sent. */
const unsent: readonly unknown[] = [
  'budget',
  'connection-refused',
  'invalid',
  'slot',
  'unreachable',
] satisfies ErrorReason[];

/** The verdict about the last attempt of a failed call alone. */
export function verdictOfAttempt(error: unknown): Verdict {
  const { verdict, reason } = unchecked<FailedCall>(Object(error));
  if (verdict) return verdict;
  const isUnsent = unsent.includes(reason) || isUncharged(error);
  return { money: isUnsent ? 'none' : 'unknown', replay: false, reason };
}

/**
 * Whether an error proves that neither its call nor an earlier one with the same key and body was charged. As `verdictOfError`,
 * for errors of this copy of the client, which have a verdict: a page has no room for the table of codes.
 */
export function isVoid(error: unknown): boolean {
  const { verdict, attempts } = unchecked<FailedCall>(Object(error));
  return verdict?.money === 'void' && !attempts && isUncharged(error);
}
