import {
  APIError,
  BudgetExceededError,
  ConfigurationError,
  PaymentRequiredError,
  PolygateError,
  TaskFailedError,
} from 'polygate';
import type { Polygate } from 'polygate';

import { messageForPeople, nothingCharged, statesCharge } from '../../internal.ts';
import type { MessageParts } from '../../internal.ts';
import { isUncharged } from '../../paid/failed-call.ts';
import type { Verdict } from '../../paid/verdict.ts';
import { nearestName } from '../../wire/types/nearest-name.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { forCommands, formatUsd } from '../money.ts';
import { lineOf, MissingPackageError, UnreadableEntryError, UsageError } from './arguments.ts';
import type { BatchKind } from './params.ts';
import { cleanText } from './text.ts';

/** What is known about a command when it fails. */
export interface FailureContext {
  /** Name of the command: `polygate image`. */
  readonly command: string;
  /** Whether the command pays for something. */
  readonly isPaid: boolean;
  /** What is known about its paid request, if it may have been sent. */
  readonly sent?: Known | undefined;
  /** Whether an earlier request with the same key may have been charged, whatever happens to this one. */
  readonly isRepeated?: boolean | undefined;
  /** Whether earlier commands may have been charged for the same. */
  readonly hasEarlierCharges?: boolean | undefined;
  /** Idempotency key of the request. */
  readonly idempotencyKey?: string | undefined;
  /** What to do about a rejection. */
  readonly hint?: string | undefined;
  /** The command that continues. */
  readonly next?: string | undefined;
  /** The files with its results, once they are saved. */
  readonly saved?: readonly string[] | undefined;
  /** The charge, if it is known. */
  readonly chargeUsd?: number | undefined;
  /** What is known about the refund of a failed task. */
  readonly refund?: string | undefined;
  /** Removes the API key from a text. */
  readonly clean?: ((text: string) => string) | undefined;
}

type Known = Extract<Verdict['money'], 'accepted' | 'unknown'>;

/** What a failure means for the caller's money, after everything that the command has sent. */
function moneyOf(error: unknown, { isPaid, sent, isRepeated }: FailureContext): Known | 'none' {
  if (!isPaid) return 'none';
  const hasTask = PolygateError.is(error) && error.task !== undefined;
  if (sent === 'accepted' || hasTask || TaskFailedError.is(error)) return 'accepted';
  if (isRepeated || error instanceof UnreadableEntryError) return 'unknown';
  return sent === undefined || isUncharged(error) ? 'none' : 'unknown';
}

/**
 * The exit code of a failure: 2 if nothing was sent, because the command line, a file or the params are invalid; 3 if
 * something may have been charged and has no result yet; otherwise 1, even if only the name of a saved result could not
 * be printed.
 */
export function exitCodeOf(error: unknown, context: FailureContext): 1 | 2 | 3 {
  if (context.saved !== undefined || TaskFailedError.is(error)) return 1;
  if (moneyOf(error, context) !== 'none') return 3;
  // An error of the file system before anything was sent.
  const isFileError = context.isPaid && isRecord(error) && typeof error.syscall === 'string';
  return isUsage(error) || (isFileError && context.sent === undefined) ? 2 : 1;
}

const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || ConfigurationError.is(error);

/** Describes a failure: what happened, whether money may have been spent, the key, and the command that continues. In lines. */
export function describeFailure(error: unknown, context: FailureContext): string[] {
  const { command, isPaid, idempotencyKey, hint, next, saved = [], clean = cleanText } = context;
  const message = commandMessage(error);
  const isMissing = error instanceof MissingPackageError;
  const advice = error instanceof UsageError && !isMissing ? ' (see --help)' : '';
  const lines = [`${command}: ${clean(message)}${advice}`];
  if (isMissing) lines.push('Install it next to polygate:', `  npm install ${error.packageName}`);
  const money = moneyOf(error, context);
  const sentence = isPaid ? moneySentence(money, error, context) : '';
  if (sentence !== '' && !isStated(money, error)) lines.push(sentence);
  if (hint !== undefined) lines.push(clean(hint));
  if (isPaid && idempotencyKey !== undefined) lines.push(`Idempotency key: ${idempotencyKey}`);
  for (const path of saved) lines.push(`Saved: ${clean(path)}`);
  if (next !== undefined) lines.push(`To continue: ${clean(next)}`);
  return lines;
}

/** Whether the message of an error says already what it means for the caller's money. */
function isStated(money: Known | 'none', error: unknown): boolean {
  if (!PolygateError.is(error) || !statesCharge(error)) return false;
  return money === (error.outcome === 'unknown' ? 'unknown' : 'none');
}

/** Whether an error says that there is not enough money, and how to continue. */
export const isLimit = (error: unknown): boolean =>
  BudgetExceededError.is(error) || PaymentRequiredError.is(error);

/** The message of an error for users of a command, without the parts that `change` removes. */
export function commandMessage(error: unknown, change?: Partial<MessageParts>): string {
  return PolygateError.is(error) ? messageForPeople(error, change, forCommands) : lineOf(error);
}

/** Advice for an error about one request, if an earlier request with the same key may have been charged. */
export const earlierRequestAdvice =
  'This request was not charged, but an earlier one may have been.';

function moneySentence(
  money: Known | 'none',
  error: unknown,
  {
    sent,
    chargeUsd,
    hasEarlierCharges = false,
    refund = 'Some services refund failed tasks; run polygate balance to check.',
  }: FailureContext,
): string {
  const cost =
    chargeUsd === undefined ? 'may have been charged' : `was charged ${formatUsd(chargeUsd)}`;
  switch (money) {
    case 'none':
      // "Nothing was charged" could be read as if earlier commands were not charged either.
      if (hasEarlierCharges) return isUsage(error) && sent === undefined ? 'Nothing was sent.' : '';
      return nothingCharged;
    case 'unknown':
      return 'It may have been charged.';
    case 'accepted':
      return TaskFailedError.is(error)
        ? `The failed task ${cost}. ${refund}`
        : `The task ${cost}. Continuing costs nothing more.`;
  }
}

/** Any of these fields sets a voice. */
const voiceFields = ['voice_id', 'voice', 'timber_weights'];

/**
 * What to do about a rejection, if the models or voices of the service explain it; undefined otherwise. Asks the service for
 * its models, which costs nothing.
 */
export async function rejectionHint(
  error: unknown,
  gateway: Polygate,
  {
    kind,
    type,
    model,
    params,
  }: {
    readonly kind: BatchKind;
    /** The type of its models, for `polygate models --type`. */
    readonly type: string;
    readonly model: string;
    readonly params: Readonly<Record<string, unknown>>;
  },
): Promise<string | undefined> {
  if (!APIError.is(error) || ![400, 404, 422].includes(error.status) || !isUncharged(error)) return;
  const list = `npx polygate models --type ${type}`;
  const known = await gateway.models.list({}, { timeout: 5000, maxRetries: 0 }).then(
    ({ data }) => data,
    () => [],
  );
  if (known.length > 0 && !known.some(({ id }) => id === model)) {
    const sameType = known.filter((other) => other.type === type).map(({ id }) => id);
    const nearest =
      nearestName(model, sameType) ??
      nearestName(
        model,
        known.map(({ id }) => id),
      );
    const question = nearest === undefined ? '' : `Did you mean ${nearest}? `;
    return `${question}${list} lists the models of your API key.`;
  }
  const needsVoice = kind === 'speech' && !voiceFields.some((name) => Object.hasOwn(params, name));
  // The service may name it in any field.
  return needsVoice && /voice/i.test(JSON.stringify(error.body) ?? '')
    ? `Set a voice with --voice <id>, or with --param voice_id=<id>. npx polygate voices -m ${model} lists them, with samples.`
    : undefined;
}
