import { ConfigurationError, PolygateError, StreamError, TaskFailedError } from 'polygate';

import { maskKeys, messageOf, UsageError } from './arguments.ts';
import { formatUsd } from './money.ts';

/** What is known about a failed command besides its error. */
export interface FailureContext {
  /** Name of the command: `polygate image`. */
  command: string;
  /** Whether the command pays for something. */
  isPaid: boolean;
  /** Idempotency key of the request. */
  idempotencyKey?: string | undefined;
  /** The command that continues. */
  next?: string | undefined;
  /** The charge, if it is known. */
  chargeUsd?: number | undefined;
}

/** What a failure means for the caller's money. */
type Charged = 'no' | 'failed-task' | 'maybe' | 'yes';

function chargedBy(error: unknown): Charged {
  if (!(error instanceof Error) || !PolygateError.is(error)) return 'no';
  if (TaskFailedError.is(error)) return 'failed-task';
  if (error.task !== undefined) return 'yes';
  return error.outcome === 'unknown' || StreamError.is(error) ? 'maybe' : 'no';
}

/**
 * The exit code of a failure: 2 if nothing was sent, because the command line, a file or the params are invalid; 3 if
 * something may have been charged and its result is not there; otherwise 1.
 */
export function exitCodeOf(error: unknown, isPaid: boolean): 1 | 2 | 3 {
  const charged = isPaid ? chargedBy(error) : 'no';
  if (charged === 'maybe' || charged === 'yes') return 3;
  const isUsage = error instanceof UsageError || ConfigurationError.is(error);
  return isUsage && charged === 'no' ? 2 : 1;
}

/** Describes a failure: what happened, whether money may have been spent, the key, and the command that continues. */
export function describeFailure(error: unknown, context: FailureContext): string {
  const { command, isPaid, idempotencyKey, next } = context;
  const [message = ''] = messageOf(error).split('\n');
  const advice = error instanceof UsageError ? ' (see --help)' : '';
  const lines = [`${command}: ${maskKeys(message)}${advice}`];
  if (isPaid) lines.push(moneySentence(error, context));
  if (isPaid && idempotencyKey !== undefined) lines.push(`Key: ${idempotencyKey}`);
  if (next !== undefined) lines.push(`To continue: ${next}`);
  return `${lines.join('\n')}\n`;
}

function moneySentence(error: unknown, { chargeUsd }: FailureContext): string {
  switch (chargedBy(error)) {
    case 'no':
      return 'Nothing was charged.';
    case 'failed-task':
      return chargeUsd === undefined
        ? 'The task may have been charged. Most services refund failed tasks: polygate balance shows it.'
        : `The task was charged ${formatUsd(chargeUsd)}. Most services refund failed tasks: polygate balance shows it.`;
    case 'maybe':
      return 'It may have been charged.';
    case 'yes':
      return chargeUsd === undefined
        ? 'The task was accepted and may have been charged. It is not charged again.'
        : `The task was charged ${formatUsd(chargeUsd)}. It is not charged again.`;
  }
}
