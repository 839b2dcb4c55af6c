/** The errors of rows. What a message says about charges is true of the row, not only of the last request. */
import type { ErrorDetails } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import { AbortedError, ConnectionError } from '../../errors/call.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import { toNano, toUsd } from '../../paid/amounts.ts';
import { textOf } from '../../wire/types/type-guards.ts';
import { forPrograms } from './budget-decisions.ts';

/** What a message says first. */
const rowParts = (id: unknown) => ({ subject: `row ${textOf(id) ?? '?'}` });

/** A row that cannot be planned. */
export function rowError(
  id: unknown,
  problem: string,
  details: ErrorDetails = {},
): ConfigurationError {
  return createError(ConfigurationError, { ...rowParts(id), summary: problem }, details);
}

/** A row for which nothing was sent. */
export const unsentRowError = (id: unknown, summary: string): ConfigurationError =>
  createError(ConfigurationError, { ...rowParts(id), summary, charge: nothingSent }, {});

/** A row whose params have changed although it may have been charged. */
export function changedParamsError(id: string): ConfigurationError {
  return unsentRowError(
    id,
    'its params differ from an earlier submission that may have been charged; restore them, or use another id.',
  );
}

/** A row that several runs have sent with different params at the same time, so that its task may be that of any of them. */
export const contestedRowError = (id: string, idempotencyKey?: string): ConfigurationError =>
  rowError(
    id,
    'another run has sent it with other params at the same time. At most one task was charged, and it may be the one with the other params: submit with `error.idempotencyKey` to see it. Give each of them its own id.',
    { outcome: 'unknown', idempotencyKey },
  );

/**
 * A chat that an earlier run sent and that has no completion. A `ConnectionError`, as for any request whose response was lost.
 */
export function lostChatError(id: string): ConnectionError {
  const parts = {
    ...rowParts(id),
    summary:
      'An earlier run sent this chat, and its completion is not in the journal, so it may have been charged. It was not sent again.',
    advice: resendAdvice('sent again'),
  };
  return createError(ConnectionError, parts, { outcome: 'unknown', reason: 'resend' });
}

/** A chat that a damaged line of the journal may be about. */
export function damagedJournalError(id: string): ConfigurationError {
  const parts = {
    ...rowParts(id),
    summary:
      'A damaged line of the journal could be about this chat, which may have been charged. It was not sent. Restore the journal from a backup.',
    advice: resendAdvice('sent'),
  };
  return createError(ConfigurationError, parts, { outcome: 'unknown', reason: 'resend' });
}

const resendAdvice =
  (what: string) =>
  ({ option } = forPrograms) =>
    `With ${option('resendUnknown')}, it is ${what}, and you may pay for it a second time.`;

/** A row that a recovery cannot send again. */
export function missingParamsError(id: string, idempotencyKey: string): ConnectionError {
  const parts = {
    ...rowParts(id),
    summary:
      'This row may have been charged, and the journal does not contain its params, so it was not resent.',
    advice:
      'To get its result without a second charge, run the batch again with the same inputs and this journal. With `storeParams`, a journal contains them.',
  };
  return createError(ConnectionError, parts, { outcome: 'unknown', idempotencyKey });
}

/** A row whose `submit` line could not be written. */
export function notRecordedError(cause: unknown): ConfigurationError {
  const summary = `journal: appending failed (${String(cause)}).`;
  const parts = { summary, charge: 'Nothing was sent for this row.' };
  return createError(ConfigurationError, parts, { cause, outcome: 'not-sent' });
}

/** What a row was charged and its journal does not have, in USD. */
export interface UnwrittenCharge {
  readonly id: string;
  readonly usd: number;
}

/** A run that sends nothing more, because a charge could not be written. */
export const stoppedError = (cause: unknown): ConfigurationError =>
  new ConfigurationError(stoppedSummary(cause), { cause });

const stoppedSummary = (cause: unknown) =>
  `journal: appending failed (${String(cause)}), so nothing more was sent.`;

/** A run that ends because charges still cannot be written. */
export function unwrittenChargesError(
  cause: unknown,
  charges: readonly UnwrittenCharge[],
): ConfigurationError {
  const [first, ...others] = new Set(charges.map(({ id }) => id));
  const more = others.length > 0 ? ` and ${others.length} more were` : ' was';
  const usd = toUsd(charges.reduce((sum, charge) => sum + toNano(charge.usd), 0));
  const parts = {
    summary: stoppedSummary(cause),
    charge: (wording = forPrograms) =>
      `Row ${first}${more} charged ${wording.usd(usd)} that the journal does not have.`,
    advice: ({ again, option } = forPrograms) =>
      `Make the journal writable, then ${again}. Lower ${option('maxUsd')} by this amount, which later runs do not count.`,
  };
  return createError(ConfigurationError, parts, { cause, outcome: 'unknown' });
}

/** A row that is not sent again, because its charge could not be written: later runs would spend it once more. */
export function costNotRecordedError(): ConfigurationError {
  const parts = {
    summary: 'journal: appending failed for the cost of this row, so it was not sent again.',
    charge: 'It may have been charged.',
    advice: ({ again } = forPrograms) =>
      `Make sure that the journal can be written, then ${again}, which may not count this cost.`,
  };
  return createError(ConfigurationError, parts, { outcome: 'unknown' });
}

/**
 * A row that is not sent because of `reason`, which all such rows share. A call adds details to the error it throws, so it
 * must not get a shared one; and with a fallback, a `BudgetExceededError` would make it try the next model.
 */
export function unsentError(reason: unknown): AbortedError {
  // An earlier run may have been charged. What is then said about charges follows the summary, and the advice stays last.
  const parts = {
    summary: 'The row was aborted before this run sent it, so this run was not charged for it.',
    advice: 'To continue, run the batch again.',
  };
  return createError(AbortedError, parts, { cause: reason, outcome: 'not-sent' });
}

/**
 * The error of a row: what was thrown, or why the row was not sent if what was thrown is the reason of an aborted signal.
 * `pauseReason` is that of the run, if it is paused.
 */
export function toRowError(
  thrown: unknown,
  signal: AbortSignal,
  pauseReason: Error | undefined,
): Error {
  const cause = AbortedError.is(thrown) ? thrown.cause : thrown;
  // Only the reason of the run itself: the caller's signal may abort a request that was sent with any error.
  if (pauseReason && cause === pauseReason) return pauseReason;
  if (signal.aborted && thrown === signal.reason) return unsentError(thrown);
  return thrown instanceof Error ? thrown : new Error(textOf(thrown) ?? '', { cause: thrown });
}
